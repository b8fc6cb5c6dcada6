"""The page of a comparison: rows can be hidden and sorted, plots over time enlarged and read."""

import unittest

from browser import ROOT, PageTest

PLOT = "#error-title + svg"
LABELS = "return [...document.querySelectorAll('#error-title + svg .x-grid text')].map((t) => Number(t.textContent))"


class ComparePage(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.make("compare.html", "compare", ROOT / "examples/pendulum.mo", "--until", 2, "--rtol", "1e-4,1e-6",
                            "--formulations", "ggl,index1,dummy-derivatives")

    def setUp(self):
        self.open(self.page)

    def test_table_sorts(self):
        column = self.js("return [...document.querySelectorAll('thead th')].findIndex((h) => h.textContent.startsWith('error'))")
        values = ("return [...document.querySelectorAll('tbody tr')].map((r) => r.children[arguments[0]].dataset.value)"
                  ".filter((v) => v !== '').map(Number)")
        self.js("document.querySelectorAll('thead th')[arguments[0]].querySelector('button').click()", column)
        rising = self.js(values, column)
        self.assertEqual(rising, sorted(rising))
        self.assertGreaterEqual(len(set(rising)), 4)

    def test_legend_hides_rows(self):
        shown = "return document.querySelectorAll('.series:not(.off)').length"
        before = self.js(shown)
        self.js("document.querySelector('.legend button[data-series]').click()")
        self.assertLess(self.js(shown), before)

    def test_dragging_enlarges_all_plots_over_time(self):
        self.assertEqual((self.js(LABELS)[0], self.js(LABELS)[-1]), (0, 2))
        self.drag(PLOT, (0.4, 0.5), (0.6, 0.5))
        labels = self.js(LABELS)
        self.assertGreater(labels[0], 0.5)
        self.assertLess(labels[-1], 1.5)
        windows = self.js("return [...document.querySelectorAll('svg[data-zoom] .content')].map((g) => g.getAttribute('transform').split(' ')[0])")
        self.assertEqual(len(set(windows)), 1)
        self.js("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))", PLOT)
        self.assertEqual((self.js(LABELS)[0], self.js(LABELS)[-1]), (0, 2))

    def test_keys_and_wheel_zoom(self):
        self.press(PLOT, "+")
        width = self.js(LABELS)[-1] - self.js(LABELS)[0]
        self.assertLess(width, 2)
        x, y, w, h = self.box(PLOT)
        self.mouse("mouseWheel", x + w / 2, y + h / 2, delta=-500)
        self.wait("const l = [...document.querySelectorAll('#error-title + svg .x-grid text')].map((t) => Number(t.textContent));"
                  f"return l[l.length - 1] - l[0] < {width}")

    def test_cursor_tells_time_and_value(self):
        x, y, width, height = self.box(PLOT)
        self.mouse("mouseMoved", x + width / 2, y + height / 2, buttons=0)
        self.wait("return document.querySelector('#error-title + svg + output').textContent !== ''")
        self.assertRegex(self.text("#error-title + svg + output"), r"^t = (0\.9|1\.)\d* s: .+ \d")

    def test_light_and_dark(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.js(background)
        self.js("document.querySelector('[data-theme-switch]').click()")
        self.assertNotEqual(self.js(background), light)


if __name__ == "__main__":
    unittest.main()
