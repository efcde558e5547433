#!/usr/bin/env python3
"""The builder of test programs, asked for the same things by many threads: nvcc is run once for each, and everybody gets the whole file."""

import concurrent.futures
import tempfile
import unittest
from pathlib import Path

from builds import Builder, Toolkit

# Takes its time, so that all threads ask before the first is served, and writes down that it ran.
SLOW_NVCC = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.0, V13.0.88"; exit; fi
sleep 0.2
echo run >> "$(dirname "$0")/runs"
for output; do :; done
echo ".version 9.0" > "$output"
"""
THREADS = 8


class SharedFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        nvcc = self.folder / "nvcc"
        nvcc.write_text(SLOW_NVCC)
        nvcc.chmod(0o755)
        self.builder = Builder({"13.0": Toolkit(str(nvcc))}, self.folder / "work")

    def ask(self, question):
        """The different contents that the threads got, and how often nvcc ran."""
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            answers = list(pool.map(lambda _: question().read_bytes(), range(THREADS)))
        return set(answers), (self.folder / "runs").read_text().count("run")

    def test_one_object(self):
        contents, runs = self.ask(lambda: self.builder.compile({"kernel": "k", "images": ["sm_90"]}, 0, ""))
        self.assertEqual((contents, runs), ({b".version 9.0\n"}, 1))

    def test_one_archive(self):
        unit = {"kernel": "k", "images": ["sm_90"]}
        contents, runs = self.ask(lambda: self.builder.archive(self.builder.compile(unit, 0, "")))
        self.assertEqual((len(contents), runs), (1, 1))

    def test_one_edited_ptx(self):
        contents, runs = self.ask(lambda: self.builder.image("13.0", "compute_90", "7.8"))
        self.assertEqual((contents, runs), ({b".version 7.8\n"}, 1))

    def test_what_was_cut_off_is_made_anew(self):
        unit = {"kernel": "k", "images": ["sm_90"]}
        made = self.builder.compile(unit, 0, "")
        made.rename(made.with_suffix(".unfinished.o"))
        self.assertEqual(self.builder.compile(unit, 0, "").read_bytes(), b".version 9.0\n")


if __name__ == "__main__":
    unittest.main()
