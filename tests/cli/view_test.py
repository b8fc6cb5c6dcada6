"""`daedalus view`: pages of results on 127.0.0.1, which follow their files, and nothing else."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from support import PENDULUM, PROGRAM, CliTest


class View(CliTest):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results"
        self.results.mkdir()
        self.csv = self.results / "a run.csv"
        self.succeed("run", PENDULUM, "--until", 1, "--points", 11, "--out", str(self.csv), "-q")
        (self.folder / "secret.csv").write_text("time,x\n0,1\n1,2\n")
        (self.results / "out.csv").symlink_to(self.folder / "secret.csv")
        (self.results / "notes.txt").write_text("not a result")

    def start(self, path):
        """The server, and the address that it prints."""
        server = subprocess.Popen([PROGRAM, "view", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.kill)
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/")
        return server, address

    def get(self, address, **headers):
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers

    def test_a_result_is_a_page_that_follows_it(self):
        server, address = self.start(self.csv)
        self.assertTrue(address.endswith("/view/a%20run.csv"))
        status, page, headers = self.get(address)
        self.assertEqual(status, 200)
        self.assertIn('"name":"lambda"', page)
        self.assertIn("location.reload()", page)
        self.assertIn("<title>a run.csv", page)
        self.assertIn('"status":"file"', page)  # nothing is said of an index or of steps that nobody knows
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        stamp = address.replace("/view/", "/stamp/")
        before = self.get(stamp)[1]
        self.assertEqual(self.get(stamp)[1], before)
        rows = self.csv.read_text().splitlines()
        with open(self.csv, "a") as file:  # a run goes on, and its last row is half written
            file.write(rows[-1].replace("1,", "1.5,", 1) + "\n2.0,0.")
        self.assertNotEqual(self.get(stamp)[1], before)
        self.assertIn('"length":11', page)
        self.assertIn('"length":12', self.get(address)[1])
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=20), 0)

    def test_a_folder_lists_what_can_be_shown(self):
        _, address = self.start(self.results)
        status, page, _ = self.get(address)
        self.assertEqual(status, 200)
        self.assertEqual(re.findall(r'href="/view/([^"]+)"', page), ["a%20run.csv"])

    def test_nothing_else_is_served(self):
        _, address = self.start(self.results)
        for path in ("view/out.csv", "view/notes.txt", "view/../secret.csv", "view/..%2fsecret.csv", "view/%2e%2e/secret.csv",
                     "secret.csv", "view/", "stamp/../secret.csv", "view//etc/passwd", "view/" + urllib.parse.quote(str(self.csv))):
            status, page, _ = self.get(address + path)
            self.assertEqual(status, 404, path)
            self.assertNotIn("1,2", page)

    def test_only_this_machine_is_answered_and_only_by_its_name(self):
        _, address = self.start(self.results)
        port = int(re.search(r":(\d+)/", address)[1])
        status, page, _ = self.get(address, Host="example.org")
        self.assertEqual((status, page), (403, "not by this name\n"))
        self.assertEqual(self.get(f"http://localhost:{port}/")[0], 200)
        table = pathlib.Path("/proc/net/tcp")
        if table.exists():  # the address of the socket: 127.0.0.1, in the order of the machine
            bound = {line.split()[1] for line in table.read_text().splitlines()[1:] if line.split()[3] == "0A"}
            self.assertIn(f"0100007F:{port:04X}", bound)
            self.assertNotIn(f"00000000:{port:04X}", bound)
        with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
            client.sendall(f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            self.assertIn(b"400 Bad Request", client.recv(100))
        with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
            client.sendall(os.urandom(40_000))  # no request at all
        self.assertEqual(self.get(address)[0], 200)

    def test_what_cannot_be_shown_is_refused(self):
        for path, message in ((self.results / "nothing.csv", "no such file"), (self.results / "notes.txt", "neither a result")):
            code, _, err = self.daedalus("view", str(path))
            self.assertEqual(code, 2)
            self.assertIn(message, err)
        self.assertEqual(self.daedalus("view", str(self.results), "--port", "70000")[0], 2)


if __name__ == "__main__":
    unittest.main()
