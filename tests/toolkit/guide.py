#!/usr/bin/env python3
"""Runs the console blocks of docs/guide and compares what the program prints with what the pages say.

usage: guide.py --program build/release/bin/cuda-arch-guard --nvcc NVCC

A block is commands behind "$ " with their output; "..." stands for any lines, and line breaks do not matter.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNEL = "__global__ void scale(float* x) { *x *= 2; }\nint main() { scale<<<1, 1>>>(nullptr); return 0; }\n"
PROGRAMS = {"app": "arch=compute_86,code=sm_86", "ptx": "arch=compute_90,code=compute_90"}


def squeeze(text):
    return " ".join(text.split())


def commands(page):
    """(command, expected output) of every console block."""
    for block in re.findall(r"^ *```console\n(.*?)^ *```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^ *\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def matches(expected, found):
    parts = [re.escape(squeeze(part)) for part in re.split(r"^ *\.\.\.$", expected, flags=re.MULTILINE)]
    return re.search("^" + ".*".join(parts) + "$", squeeze(found)) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc", required=True)
    options = parser.parse_args()
    run = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "app.cu").write_text(KERNEL)
        for name, target in PROGRAMS.items():
            subprocess.run([options.nvcc, "-gencode", target, "-o", name, "app.cu"], cwd=folder, check=True)
        for path in sorted((ROOT / "docs/guide").glob("*.md")):
            for command, expected in commands(path.read_text(encoding="utf-8")):
                words = shlex.split(command)
                assert words[0] == "cuda-arch-guard", command
                done = subprocess.run([options.program.resolve(), *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
                found = done.stdout or done.stderr
                run += 1
                if not matches(expected, found):
                    wrong += 1
                    print(f"{path.name}: {command}\n--- the page says:\n{expected}--- the program says:\n{found}")
    print(f"{run} commands, {wrong} print something else")
    return 1 if wrong or run < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
