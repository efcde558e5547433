#!/usr/bin/env python3
"""`lab check` of a published wheel on the eight machines of example-projects/lab, cell by cell.

usage: lab_check.py PROGRAM CACHE

What is right was worked out by hand from docs/rules.md and from what cuobjdump lists: the wheel's own library (55 kernels) holds SASS 75, 80, 86, 90,
100, 120 and PTX 120, the libnvjpeg in it (250 kernels) has 89, 103, 110, 121 and PTX 121 besides; both are of CUDA 13, with libcudart.so.13.
"""
import collections
import json
import pathlib
import subprocess
import sys

from large_wheels import fetch

ROOT = pathlib.Path(__file__).resolve().parents[2]
# machine: rule that decides, and the image in the wheel's own library and in libnvjpeg, or the error
EXPECTED = {
    "orin-01": (5, 35, 35),          # JetPack 6 is CUDA 12.6: a runtime of CUDA 13 stops before any image is read
    "old-desk": (1, 209, 209),       # 6.1: no SASS of major 6, and PTX is for newer GPUs
    "ws-07": (1, "86", "89"),        # 8.9: the nearest minor not above it
    "render-1": (1, "86", "86"),     # 8.6
    "hopper-1": (1, "90", "90"),     # 9.0; driver 580 runs SASS of a newer 13.x by minor-version compatibility
    "pro-6000": (1, "120", "120"),   # 12.0
    "b300-1": (1, "100", "103"),     # 10.3
    "spark-1": (1, "120", "121"),    # 12.1
}
KERNELS = {"_C_stable.so": 55, "libnvjpeg": 250}


def main():
    program, cache = sys.argv[1], pathlib.Path(sys.argv[2])
    wheel = fetch("torchvision==0.29.2", "manylinux_2_28_x86_64", cache)
    run = subprocess.run([program, "lab", "check", str(wheel), "--lab", str(ROOT / "example-projects/lab/lab.json"), "--date", "2026-11-30", "--format",
                          "json"], capture_output=True, check=False)
    found = collections.defaultdict(collections.Counter)
    for file in json.loads(run.stdout)["files"]:
        library = next((name for name in KERNELS if name in (file["member"] or "")), file["member"])
        for module in file["modules"]:
            for outcome in module.get("outcomes", []):
                decided = outcome["image"]["arch"] if outcome["image"] else outcome["error"]["code"]
                rule = EXPECTED[outcome["gpu_name"]][0]
                found[outcome["gpu_name"]][(library, outcome["outcome"], decided, rule in outcome["rules"])] += 1
    wrong = 0
    for machine, (rule, *decisions) in EXPECTED.items():
        right = {(library, "sass" if isinstance(decided, str) else "fails", decided, True): kernels
                 for (library, kernels), decided in zip(KERNELS.items(), decisions)}
        wrong += found[machine] != right
        print(f"{'ok    ' if found[machine] == right else 'FAILED'} {machine}: {decisions} by rule {rule}; found {dict(found[machine])}")
    assert run.returncode == 1, run.returncode  # old-desk must run it
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
