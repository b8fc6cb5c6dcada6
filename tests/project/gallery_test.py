"""The gallery's index is what scripts/gallery.py writes, and its pictures are there and of modest size."""

import importlib.util
import unittest
import xml.etree.ElementTree

from project_files import ROOT

specification = importlib.util.spec_from_file_location("gallery", ROOT / "scripts/gallery.py")
gallery = importlib.util.module_from_spec(specification)
specification.loader.exec_module(gallery)


class Gallery(unittest.TestCase):
    def test_index_is_up_to_date(self):
        self.assertEqual((ROOT / "docs/gallery/README.md").read_text(), gallery.index())

    def test_every_row_has_its_picture(self):
        named = {f"{name}.{'png' if place else 'svg'}" for name, _, _, _, place in gallery.ROWS}
        found = {path.name for path in (ROOT / "docs/gallery").iterdir()} - {"README.md"}
        self.assertEqual(found, named)
        for name in named:
            path = ROOT / "docs/gallery" / name
            self.assertLess(path.stat().st_size, 300_000, name)
            if name.endswith(".svg"):
                xml.etree.ElementTree.parse(path)
            else:
                self.assertTrue(path.read_bytes().startswith(b"\x89PNG"), name)

    def test_models_exist(self):
        for _, _, _, command, _ in gallery.ROWS:
            self.assertTrue((ROOT / command.split()[1]).exists(), command)

    def test_readme_shows_one(self):
        self.assertIn("](docs/gallery/", (ROOT / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
