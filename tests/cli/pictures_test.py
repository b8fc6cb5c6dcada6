"""--plot and --report as a user calls them; files are read back by Python's own libraries."""

import struct
import unittest
import xml.etree.ElementTree
import zlib

from support import PENDULUM, ROOT, CliTest


def pixels(data):
    """Width, height, palette and rows of an indexed PNG, checksums checked."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (8, 3)
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == height * (width + 1)
    rows = [raw[k * (width + 1) + 1:(k + 1) * (width + 1)] for k in range(height)]
    palette = [tuple(chunks[b"PLTE"][3 * k:3 * k + 3]) for k in range(len(chunks[b"PLTE"]) // 3)]
    return width, height, palette, rows


class Plots(CliTest):
    def test_svg_is_xml(self):
        self.succeed("run", PENDULUM, "--plot", "p.svg", "--vars", "x,y")
        root = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        names = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        for name in ("Pendulum", "x", "y", "drift", "time [s]"):
            self.assertIn(name, names)

    def test_png_shows_the_curves(self):
        self.succeed("run", PENDULUM, "--plot", "p.png", "--vars", "x,y")
        data = (self.folder / "p.png").read_bytes()
        width, height, palette, rows = pixels(data)
        self.assertEqual(width, 1800)
        self.assertLess(len(data), 300_000)
        counts = {}
        for row in rows:
            for number in row:
                counts[palette[number]] = counts.get(palette[number], 0) + 1
        self.assertGreater(counts[(255, 255, 255)], 0.8 * width * height)
        # The first two colours of Okabe and Ito: a curve of 3.2 pixels over 1600 columns each.
        for colour in ((0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)):
            self.assertGreater(counts[colour], 2000)

    def test_pdf_can_be_found_through_its_table(self):
        self.succeed("run", PENDULUM, "--plot", "p.pdf")
        data = (self.folder / "p.pdf").read_bytes()
        start = int(data[data.rindex(b"startxref"):].split()[1])
        self.assertTrue(data[start:].startswith(b"xref"))
        self.assertEqual(data.count(b"\nendobj"), 7)

    def test_wrong_names_are_refused_before_the_run(self):
        for option, name in (("--plot", "p.gif"), ("--plot", "png"), ("--report", "p.txt"), ("--report", "p.htm")):
            self.refuse("run", PENDULUM, "--until", "1e9", option, name, words=[name], timeout=20)
        self.refuse("run", PENDULUM, "--report", "none/p.html", words=["none"])
        self.refuse("run", PENDULUM, "--report", "a.html", "--summary", "a.html", words=["--report and --summary"])

    def test_a_mechanism_s_markers_are_drawn_unasked(self):
        self.succeed("run", ROOT / "problems/mechanisms/fourbar.xml", "--until", "0.5", "--plot", "p.svg")
        text = (self.folder / "p.svg").read_text()
        self.assertIn(">P.x [m]<", text)
        self.assertNotIn(">P.y [m]<", text)  # it moves in the plane of x and z

    def test_a_tree_s_joints_are_drawn_unasked(self):
        self.write("arm.xml", "<mujoco><worldbody><body><joint name='shoulder' axis='0 1 0'/><geom size='0.1' pos='1 0 0'/>"
                   "<site name='P'/><body pos='2 0 0'><joint name='rail' type='slide'/><geom size='0.1'/></body></body>"
                   "</worldbody></mujoco>")
        self.succeed("run", "arm.xml", "--until", "0.5", "--plot", "p.svg")
        text = (self.folder / "p.svg").read_text()
        for name in ("shoulder.angle [rad]", "rail.displacement [m]"):
            self.assertTrue(f">{name}<" in text, name)
        self.assertFalse(">body1.x" in text)

    def test_rank_changes_are_marked(self):
        self.succeed("run", ROOT / "problems/slider_crank.mo", "--plot", "p.svg")
        self.assertIn(">rank change<", (self.folder / "p.svg").read_text())


    def test_compare_draws_its_rows(self):
        self.succeed("compare", PENDULUM, "--until", "1", "--formulations", "ggl,index1", "--rtol", "1e-4,1e-6", "--plot", "c.svg", "--quiet")
        root = xml.etree.ElementTree.parse(self.path("c.svg")).getroot()
        names = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        for name in ("ggl, radau", "index1, radau", "error", "position drift", "velocity drift"):
            self.assertEqual(names.count(name), 1, name)
        curves = list(root.iter("{http://www.w3.org/2000/svg}path"))
        self.assertEqual(len(curves), 6)  # two rows, three panels, one tolerance
        self.refuse("compare", PENDULUM, "--plot", "c.jpg", words=["one of .svg, .pdf, .png"])


class Reports(CliTest):
    def test_failed_runs_have_a_page_too(self):
        model = self.write("m.mo", "model M Real x(start = 1, fixed = true); equation der(x) = x^2;"
                                   " annotation(experiment(StopTime = 2)); end M;")
        code, _, _ = self.daedalus("run", model, "--report", "p.html")
        self.assertEqual(code, 1)
        self.assertIn('"status":"failed"', (self.folder / "p.html").read_text())

    def test_the_command_is_in_the_page(self):
        self.succeed("run", PENDULUM, "--set", "L=2", "--report", "p.html")
        self.assertIn("--set L=2 --report p.html", (self.folder / "p.html").read_text())


if __name__ == "__main__":
    unittest.main()
