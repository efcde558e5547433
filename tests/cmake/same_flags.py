#!/usr/bin/env python3
"""The CMake and the C++ parser give the same flags for random requests to random toolkits, and nvcc takes them.

usage: same_flags.py CUDA_ARCH_GUARD CMAKE [--count 200] [--seed 1] [--nvcc NVCC ...] [--fetch RELEASE ...]
                     [--only-these] [--compile]

Every set of flags for the release of one of the NVCCs is given to it: to its own check of the flags (--dryrun), with --compile to a whole
compilation of an empty kernel, ptxas included. --fetch takes an nvcc from PyPI; --only-these asks for no release but the nvccs' own.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLKITS = [row for row in json.loads((ROOT / "src/data/toolkits.json").read_text(encoding="utf-8"))["rows"]]
NUMBERS = sorted({arch for row in TOOLKITS for arch in row["virtual"]})
NAMES = ["Turing", "Ampere", "ada", "Hopper", "Blackwell", "RTX 3090", "H100", "Tesla T4", "rtx5090", "V100", "DGX Spark", "A100-SXM4-80GB", "all",
         "all-major"]


def request(rng, release):
    """A list of one to five items in mixed spellings; mostly what the release builds, sometimes not."""
    known = rng.choice([release["virtual"], release["virtual"], NUMBERS])
    items = []
    for _ in range(rng.randint(1, 5)):
        arch = rng.choice(known)
        number, letter = re.match(r"(\d+)(\w?)", arch).groups()
        dotted = f"{number[:-1]}.{number[-1]}{letter}"
        items.append(rng.choice([arch, f"{arch}-real", f"{arch}-virtual", dotted, f"{dotted}+PTX", f"sm_{arch}", f"compute_{arch}",
                                 rng.choice(NAMES)]))
    return rng.choice([";", ",", "; "]).join(items)


def by_cmake(cmake, pairs):
    """The flags of every pair from one run of CMake; None for a refusal."""
    lines = ["cmake_minimum_required(VERSION 3.25)", f'include("{ROOT}/cmake/Modules/cuda_archs_convert.cmake")']
    for release, spec in pairs:
        lines.append(f'cuda_archs_convert(flags FORMAT nvcc "{spec}" TOOLKIT {release} ERROR_VARIABLE error)')
        lines.append('if(error)\nmessage("refused")\nelse()\nstring(REPLACE ";" " " flags "${flags}")\nmessage("${flags}")\nendif()')
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "pairs.cmake"
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([cmake, "-P", script], stderr=subprocess.PIPE, text=True, check=True)
    return [None if line == "refused" else line.split() for line in done.stderr.splitlines()]


def by_program(program, release, spec):
    done = subprocess.run([program, "gencode", spec, "--toolkit", release], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout.split() if done.returncode == 0 else None


def release_of(nvcc):
    banner = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"release (\d+\.\d+)", banner)[1]


def nvcc_takes(nvcc, flags, source, whole):
    command = [nvcc, *([] if whole else ["--dryrun"]), *flags, "-c", source, "-o", source.with_suffix(".o")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("cmake")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nvcc", nargs="+", default=[])
    parser.add_argument("--fetch", nargs="+", default=[])
    parser.add_argument("--only-these", action="store_true")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    for release in options.fetch:
        got = subprocess.run([ROOT / "tests/toolkit/get-nvcc", release], stdout=subprocess.PIPE, text=True)
        if got.returncode != 0:
            return got.returncode
        options.nvcc.append(got.stdout.strip())

    nvccs = {release_of(nvcc): nvcc for nvcc in options.nvcc}
    here = [row for row in TOOLKITS if row["release"] in nvccs] or TOOLKITS
    rng = random.Random(options.seed)
    pairs = []
    for _ in range(options.count):
        release = rng.choice(rng.choice([here if options.only_these else TOOLKITS, here]))  # half of them for an nvcc that can be asked
        pairs.append((release["release"], request(rng, release)))

    bad = accepted = 0
    given = dict.fromkeys(nvccs, 0)
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder) / "kernel.cu"
        kernel.write_text("__global__ void kernel() {}\n", encoding="utf-8")
        for (release, spec), ours in zip(pairs, by_cmake(options.cmake, pairs)):
            theirs = by_program(options.program, release, spec)
            if ours != theirs:
                bad += 1
                print(f"CUDA {release}, \"{spec}\":\n  CMake:   {ours}\n  program: {theirs}")
            accepted += ours is not None
            if ours and release in nvccs:
                given[release] += 1
                refusal = nvcc_takes(nvccs[release], ours, kernel, options.compile)
                if refusal:
                    bad += 1
                    print(f"nvcc {release} refuses {ours} for \"{spec}\":\n{refusal}")
    taken = ", ".join(f"{count} given to nvcc {release}" for release, count in given.items()) or "no nvcc was asked"
    print(f"{len(pairs)} requests, {accepted} of them to be built, {taken}; {bad} differences")
    return 1 if bad or accepted < len(pairs) // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
