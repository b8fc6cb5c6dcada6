"""Mechanism files as a user runs and checks them."""

import json
import math
import pathlib
import unittest

from support import ROOT, CliTest, rows_of

MECHANISMS = ROOT / "problems" / "mechanisms"


class Mechanisms(CliTest):
    @staticmethod
    def example(name):
        return str(MECHANISMS / name)

    def test_every_example_runs(self):
        for path in sorted(MECHANISMS.iterdir()):
            self.assertEqual(self.summary(path, "--until", "0.05", "--quiet")["status"], "ok", path.name)

    def test_check_counts_mobility(self):
        report = json.loads(self.succeed("check", self.example("bricard.xml"), "--json")[0])
        self.assertEqual(report["mechanism"]["grubler"], 0)
        self.assertEqual(report["mechanism"]["mobility"], 1)
        self.assertEqual(len(report["redundant"]), 1)
        text, _ = self.succeed("check", self.example("bricard.xml"))
        self.assertIn("mobility by Grübler's count: 36 - 36 = 0", text)
        self.assertIn("mobility by rank: 1, since 1 equation is redundant", text)

    def test_every_formulation_runs_a_tree_and_a_loop(self):
        reference = {}
        # Without constraints, of a tree of joints, each is the equations of motion.
        names = [row["name"] for row in json.loads(self.succeed("list", "formulations", "--json")[0])]
        self.assertGreater(len(names), 15)
        for example in ("pendulum.xml", "fourbar.xml"):
            for name in names:
                step = ["--step", "0.01"] if name in ("symmetric-projection", "baumgarte-h") else []
                summary = self.summary(self.example(example), "--until", "0.3", "--formulation", name, *step,
                                       "--coordinates", "joint", "--vars", "energy", "--quiet")
                self.assertEqual(summary["status"], "ok", f"{example} by {name}")
                energy = summary["final"]["energy"] if "final" in summary else None
                if energy is not None and not step:
                    self.assertAlmostEqual(energy, reference.setdefault(example, energy), delta=1e-3)

    def test_check_fits_on_a_screen(self):
        for path in sorted(MECHANISMS.iterdir()):
            text, _ = self.succeed("check", path)
            self.assertLessEqual(text.count("\n"), 55, path.name)
            self.assertNotIn("Hidden constraints", text)
            self.assertIn("coordinates: ", text)
        text, _ = self.succeed("check", self.example("pendulum.xml"))
        self.assertIn("May be set (--set NAME=VALUE)", text)
        text, _ = self.succeed("check", self.example("bricard.xml"), "--details")
        self.assertIn("Hidden constraints", text)

    def test_a_long_loop_is_diagnosed_and_runs(self):
        # 130 links on parallel hinges, in a bow between two bearings: in their plane 130 angles and two conditions at the end. The
        # last bearing is a ball; that it stays in the plane is redundant.
        links = 130
        body = ('<body name="b{}" pos="{} 0 0" euler="0 {} 0"><joint name="j{}" axis="0 1 0"/>'
                '<geom type="capsule" size="0.02" mass="1" contype="0" conaffinity="0" fromto="0 0 0 0.1 0 0"/>')
        bodies = "".join(body.format(k, 0.1 if k else 0, 180 / links if k else -90, k) for k in range(links)) + "</body>" * links
        path = self.write("bow.xml", '<mujoco><worldbody>' + bodies + '</worldbody><equality><connect name="close" '
                          f'body1="b{links - 1}" anchor="0.1 0 0"/></equality></mujoco>')
        report = json.loads(self.succeed("check", path, "--json")[0])
        self.assertEqual(report["mechanism"]["grubler"], links - 3)
        self.assertEqual(report["mechanism"]["mobility"], links - 2)
        self.assertEqual([one["constraint"].split(" (")[0] for one in report["redundant"]], ["joint close: y"])
        self.assertIn("[joint j0: z", report["redundant"][0]["combination"])
        summary = self.summary(path, "--until", "0.1", "--points", "11", "--quiet")
        self.assertEqual(summary["dof"], links - 2)
        self.assertIn("redundant: joint close: y", summary["warnings"][0])
        self.assertIn("least norm", summary["warnings"][0])

    def test_a_redundant_loop_of_slender_rods_conserves_energy(self):
        # Inertias from 1e-8 to 0.08: small pivots that are not redundant constraints.
        header, rows = rows_of(self.succeed("run", self.example("bricard.xml"), "--until", "10", "--points", "101",
                                            "--out", "-", "--quiet")[0])
        energy = [row[header.index("energy")] for row in rows]
        self.assertLessEqual(max(energy) - min(energy), 1e-6)

    def test_reactions_of_redundant_joints_are_said_to_be_of_least_norm(self):
        _, err = self.succeed("run", self.example("fourbar.xml"), "--until", "0.1", "--coordinates", "body")
        self.assertIn("redundant: joint D: y", err)
        self.assertIn("least norm", err)

    def test_a_tendon_between_sites_is_a_spring(self):
        # The same squeezer as equations in angles. Twenty tolerances for two different sets of coordinates.
        angles = self.summary(ROOT / "problems" / "andrews.mo", "--rtol", "1e-8", "--until", "0.03", "--quiet")
        bodies = self.summary(self.example("andrews.xml"), "--rtol", "1e-8", "--until", "0.03", "--quiet")
        turned = bodies["final"]["joint O: angle"] - 0.0617138900142764496
        difference = math.remainder(turned - angles["final"]["beta"], 2 * math.pi)
        self.assertAlmostEqual(difference, 0, delta=20e-8 * abs(angles["final"]["beta"]))
        self.assertIn("orthogonal-projection", bodies["formulation"])

    def test_a_disc_rolls_without_slipping(self):
        header, rows = rows_of(self.succeed("run", self.example("rolling_disc.urdf"), "--until", "5", "--points", "101",
                                            "--rtol", "1e-9", "--out", "-", "--quiet")[0])
        energy = [row[header.index("energy")] for row in rows]
        self.assertLessEqual(max(energy) - min(energy), 100 * 1e-9 * max(energy))
        # The first two metres and more: it rolls, and it keeps to its plane.
        x = [row[header.index("disc.x")] for row in rows]
        self.assertGreater(max(x) - min(x), 1)
        drift = self.summary(self.example("rolling_disc.urdf"), "--until", "5", "--quiet")["drift"]
        self.assertLessEqual(drift["position"], 1e-13)
        self.assertLessEqual(drift["velocity"], 1e-13)

    def test_what_rolls_needs_a_radius(self):
        text = pathlib.Path(self.example("rolling_disc.urdf")).read_text()
        self.refuse("run", self.write("disc.urdf", text.replace(' radius="0.5"', "")),
                    words=["disc.urdf:", "radius"])
        self.refuse("run", self.write("disc2.urdf", text.replace('velocity link="disc"', 'velocity link="disk"')),
                    words=["disc2.urdf:", "disk", "disc"])

    def test_names_of_joints_can_be_plotted(self):
        plot = self.folder / "plot.svg"
        self.succeed("run", self.example("fourbar.xml"), "--until", "0.1", "--quiet", "--plot", plot,
                     "--vars", "joint A: force x,joint A: angle,crank.q0")
        self.assertIn("joint A: force x", plot.read_text())

    def test_files_outside_of_the_models_folder_are_not_read(self):
        secret = self.write("secret.obj", "secret text\n")
        folder = self.folder / "inner"
        folder.mkdir()
        (folder / "link.xml").symlink_to(secret)
        (folder / "link.obj").symlink_to(secret)
        mesh = ("<mujoco><asset><mesh name='m' file='{}'/></asset><worldbody><body><joint/>"
                "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>")
        include = "<mujoco><include file='{}'/><worldbody/></mujoco>"
        for text in (include, mesh):
            for name in ("../secret.obj", str(secret), "link.xml" if text is include else "link.obj"):
                path = folder / "model.xml"
                path.write_text(text.format(name))
                err = self.refuse("run", path, words=["outside the model's folder", "--outside"])
                self.assertNotIn("secret text", err)
        # Allowed, it is read: what is wrong with it is told then.
        self.refuse("run", path, "--outside", words=["damaged"])

    def test_contacts_are_told_once_and_strict_refuses_them(self):
        text = ("<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
                "<body name='ball' pos='0 0 1'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")
        path = self.write("ball.xml", text)
        self.refuse("run", path, "--strict", words=["ball.xml:1:", "contacts are not simulated"])
        _, err = self.succeed("run", path, "--until", "0.1")
        self.assertEqual(err.count("warning"), 1)
        _, err = self.succeed("run", path, "--ignore", "contact", "--until", "0.1")
        self.assertNotIn("warning", err)

    def test_start_values_and_coordinates(self):
        # Released at a right angle, a rod of 1 m has turned to 1.5 g t^2 / 2 at first, in both coordinates.
        text = ("<mujoco><worldbody><body name='rod'><joint name='h' axis='0 1 0'/><geom type='capsule' size='0.001' "
                "fromto='0 0 0 0 0 -1' contype='0' conaffinity='0'/></body></worldbody></mujoco>")
        path = self.write("rod.xml", text)
        for coordinates in ("joint", "body"):
            final = self.summary(path, "--set", "h.angle=1.5", "--set", "h.velocity=0.25", "--until", "0.001",
                                 "--coordinates", coordinates, "--quiet")["final"]
            self.assertAlmostEqual(final["joint h: angle"], 1.5 + 0.25e-3 - 0.5 * 14.7 * math.sin(1.5) * 1e-6, delta=2e-8)
        self.refuse("run", path, "--set", "h.angel=1", words=["h.angle"])
        self.refuse("run", path, "--coordinates", "polar", words=["polar"])

    def test_includes_are_found_beside_the_file(self):
        self.write("part.xml", "<mujocoinclude><body name='b'><freejoint/><geom size='1'/></body></mujocoinclude>")
        path = self.write("whole.xml", "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>")
        self.succeed("run", path, "--until", "0.1")

    def test_what_cannot_be_closed_is_named(self):
        text = pathlib.Path(self.example("fourbar.xml")).read_text()
        text = text.replace('<connect name="D" body1="rocker" anchor=', '<connect name="D" site1="end" site2="far" solref=')
        text = text.replace('<body name="crank"', '<site name="far" pos="9 0 0"/>\n<body name="crank"')
        text = text.replace('<joint name="C"/>', '<joint name="C"/><site name="end" pos="0 0 -1"/>')
        self.refuse("run", self.write("open.xml", text), words=["cannot be closed", "joint D: x", "off by"])

    def test_a_start_that_does_not_fit_is_closed(self):
        text = pathlib.Path(self.example("fourbar.xml")).read_text()
        text = text.replace('<connect name="D" body1="rocker" anchor=', '<connect name="D" site1="end" site2="near" solref=')
        text = text.replace('<body name="crank"', '<site name="near" pos="2.05 0 0.02"/>\n<body name="crank"')
        anchor = text.split('solref="')[1].split('"')[0]
        text = text.replace('<joint name="C"/>', f'<joint name="C"/><site name="end" pos="{anchor}"/>')
        lines = self.summary(self.write("off.xml", text), "--until", "0.1", "--quiet")["initialisation"]
        self.assertTrue(any(line.startswith("largest change of a start value: ") for line in lines), lines)


if __name__ == "__main__":
    unittest.main()
