"""Pages in a real browser. Chromium without a window; every request that is not the page itself is a failure."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(os.environ.get("DAEDALUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("DAEDALUS_PROGRAM", str(ROOT / "build/release/daedalus"))
CHROMIUM = os.environ.get("DAEDALUS_CHROMIUM", "/usr/bin/chromium")
CHROMEDRIVER = os.environ.get("DAEDALUS_CHROMEDRIVER", "/usr/bin/chromedriver")

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
         "--force-device-scale-factor=1"]


def start_browser():
    options = Options()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.set_script_timeout(60)

    @classmethod
    def make(cls, name, *arguments, timeout=120):
        """The page that the program writes: --report NAME."""
        path = cls.folder / name
        done = subprocess.run([PROGRAM, *map(str, arguments), "--report", str(path), "--quiet"], capture_output=True,
                              timeout=timeout, text=True)
        assert done.returncode == 0, done.stderr
        return path

    def open(self, path, dark=False):
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.execute_cdp_cmd("Performance.disable", {})
        self.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.browser.get(path.as_uri())
        self.wait("return document.documentElement.dataset.ready === 'true' || !document.getElementById('data')")

    def tearDown(self):
        """Whatever a test did: nothing was complained of, nothing fetched."""
        complaints = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(complaints, [])
        fetched = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                fetched.append(message["params"]["request"]["url"])
        self.assertEqual([url for url in fetched if not url.startswith(("file://" + str(self.folder), "data:"))], [])

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait(self, script, seconds=20):
        """Until the script is true, asked at every frame."""
        done = self.browser.execute_async_script(
            "const [text, seconds, finish] = arguments; const test = new Function(text); const began = performance.now();"
            "const ask = () => { if (test()) finish(true); else if (performance.now() - began > 1000 * seconds) finish(false);"
            " else requestAnimationFrame(ask); }; ask();", script, seconds)
        self.assertTrue(done, f"never true: {script}")

    def settle(self):
        """Two frames later what was asked for is drawn."""
        self.browser.execute_async_script("const finish = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => finish()));")

    def ink(self, selector):
        """How many pixels of a canvas are drawn on, and a number that changes with the picture."""
        self.settle()
        return self.js(
            "const c = document.querySelector(arguments[0]); const copy = new OffscreenCanvas(c.width, c.height);"
            "const x = copy.getContext('2d', { willReadFrequently: true }); x.drawImage(c, 0, 0);"
            "const d = x.getImageData(0, 0, c.width, c.height).data;"
            "let n = 0, sum = 0; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 0) { ++n;"
            " sum = (sum * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2] + i) % 1000003; } return [n, sum];", selector)

    def processor_seconds(self):
        """What the page has cost so far on its main thread, in processor time."""
        metrics = self.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).innerText", selector)

    def press(self, selector, key, **modifiers):
        """A key on an element that has the focus."""
        self.js("const e = document.querySelector(arguments[0]); e.focus(); e.dispatchEvent(new KeyboardEvent('keydown',"
                " { key: arguments[1], bubbles: true, cancelable: true, ...arguments[2] }));", selector, key, modifiers)
        self.settle()

    def mouse(self, kind, x, y, button="left", buttons=1, delta=0, modifiers=0):
        command = {"type": kind, "x": x, "y": y, "modifiers": modifiers}
        if kind == "mouseWheel":
            command.update(deltaX=0, deltaY=delta)
        elif kind == "mouseMoved":
            command.update(buttons=buttons)
        else:
            command.update(button=button, clickCount=1, buttons=buttons)
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", command)

    def box(self, selector):
        """Where an element is in the window, after scrolling to it: x, y, width, height."""
        return self.js("const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: 'center', behavior: 'instant' });"
                       "const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height];", selector)

    def drag(self, selector, start, end, modifiers=0):
        """From one place of an element to another, in parts of its size, with a real mouse."""
        x, y, width, height = self.box(selector)
        at = [(x + width * u, y + height * v) for u, v in (start, end)]
        self.mouse("mouseMoved", *at[0], buttons=0)
        self.mouse("mousePressed", *at[0], modifiers=modifiers)
        for part in (0.3, 0.7, 1):
            self.mouse("mouseMoved", *[a + part * (b - a) for a, b in zip(*at)], modifiers=modifiers)
        self.mouse("mouseReleased", *at[1], modifiers=modifiers)
        self.settle()


if __name__ == "__main__":
    sys.exit("this is what the tests share")
