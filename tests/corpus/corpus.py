#!/usr/bin/env python3
"""Builds many small files with the nvcc at hand and checks that the reader lists exactly what each command line asked for.

usage: corpus.py --program cuda-arch-guard --nvcc nvcc --work DIR [--all] [--cuobjdump PATH|pypi] [--jobs N]

Without --all a selection is built that covers every option once; with it, every combination. With --cuobjdump each file is also compared, entry by
entry, with what the vendor's tool lists; where that tool is known to be wrong the difference is expected and named.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.append(str(here.parent))
import peers  # noqa: E402
KERNELS = {"_Z5alphaPi", "_Z4betaIfEvPT_"}

Case = collections.namedtuple("Case", "name output flags images relocatable debug codec")
Image = collections.namedtuple("Image", "kind arch")


def sass(*archs):
    return [(a, f"sm_{a}", Image("sass", a)) for a in archs]


def ptx(*archs):
    return [(a, f"compute_{a}", Image("ptx", a)) for a in archs]


def lto(*archs):
    return [(a, f"lto_{a}", Image("ltoir", a)) for a in archs]


# Sets of (virtual architecture, code, the image that comes of it).
SETS = {
    "one": sass("80"),
    "all_plain": sass("75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"),
    "ptx_only": ptx("75"),
    "two_ptx": ptx("75", "90"),
    "fallback": sass("80", "90") + ptx("90"),
    "hopper": sass("90", "90a") + ptx("90a"),
    "blackwell_a": sass("100a", "103a", "110a", "120a", "121a"),
    "blackwell_f": sass("100f", "110f", "120f") + ptx("100f"),
    "order": sass("120", "75") + ptx("80"),
}
# Whole spellings and what nvcc makes of them.
SHORTHANDS = {
    "default": ([], [Image("sass", "75"), Image("ptx", "75")]),
    "sm_90": (["-arch=sm_90"], [Image("sass", "90"), Image("ptx", "90")]),
    # nvcc adds PTX of the plain target to an `a` shorthand.
    "sm_90a": (["-arch=sm_90a"], [Image("sass", "90a"), Image("ptx", "90a"), Image("ptx", "90")]),
    "compute_80": (["-arch=compute_80"], [Image("ptx", "80")]),
    "all_major": (["-arch=all-major"], [Image("sass", a) for a in ("75", "80", "90", "100", "110", "120")] + [Image("ptx", "120")]),
}
MODES = ("none", "speed", "balance", "size")


def gencode(triples):
    return [f"-gencode=arch=compute_{virtual},code={code}" for virtual, code, _ in triples]


def expected_codec(mode, image, debug, relocatable):
    """Which images nvcc 13 compresses, and how: release cubins only in mode size, everything else in every mode but none."""
    if mode == "none" or (image.kind == "sass" and not debug and not relocatable and mode != "size"):
        return "none"
    return "lz4" if mode == "speed" else "zstd"


def cases(everything):
    def case(name, output, flags, images, mode="balance", relocatable=False, debug=False):
        return Case(name, output, flags, images, relocatable, debug, lambda image: expected_codec(mode, image, debug, relocatable))

    def of_set(name, output="object", extra=(), **kind):
        triples = SETS[name]
        label = "-".join([name, output, *(re.sub(r"[^A-Za-z0-9]+", "_", e).strip("_") for e in extra)])
        return case(label, output, gencode(triples) + list(extra), [image for _, _, image in triples], **kind)

    yield from (case(f"short-{name}", "object", flags, images) for name, (flags, images) in SHORTHANDS.items())
    names = list(SETS) if everything else ["fallback"]
    outputs = ("object", "shared", "program", "fatbin", "archive")
    yield from (of_set(name) for name in SETS)
    yield from (of_set(name, output) for name in names for output in outputs if output != "object")
    for name, mode, output in itertools.product(names, MODES, outputs if everything else ("object",)):
        yield of_set(name, output, (f"--compress-mode={mode}",), mode=mode)
    for name in names:
        yield of_set(name, "object", ("-G",), debug=True)
        yield of_set(name, "object", ("-lineinfo",))
        yield of_set(name, "object", ("-rdc=true",), relocatable=True)
        for mode in MODES if everything else ("none",):
            yield of_set(name, "object", ("-rdc=true", f"--compress-mode={mode}"), relocatable=True, mode=mode)
    yield case("lto", "object", ["-dc"] + gencode(lto("80", "90")), [Image("ltoir", "80"), Image("ltoir", "90")], relocatable=True)
    yield case("lto-and-sass", "object", ["-dc"] + gencode(lto("90") + sass("80")), [Image("ltoir", "90"), Image("sass", "80")], relocatable=True)
    yield from (case(f"cubin-{a}", "cubin", [f"-arch=sm_{a}"], [Image("sass", a)]) for a in ("75", "90", "90a", "100f", "120a"))
    yield from (case(f"ptx-{a}", "ptx", [f"-arch=compute_{a}"], [Image("ptx", a)]) for a in ("75", "90a", "100f"))


MAKE = {
    "object": (["-c"], "o"),
    "shared": (["-shared", "-Xcompiler", "-fPIC"], "so"),
    "program": ([str(here / "main.cpp")], "exe"),
    "fatbin": (["-fatbin"], "fatbin"),
    "cubin": (["-cubin"], "cubin"),
    "ptx": (["-ptx"], "ptx"),
    "archive": (["-c"], "o"),
}


def build(case, nvcc, work):
    options, suffix = MAKE[case.output]
    path = work / f"{case.name}.{suffix}"
    run = subprocess.run([nvcc, *case.flags, *options, str(here / "kernels.cu"), "-o", str(path)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise AssertionError(f"nvcc {' '.join(case.flags)}: {run.stderr.strip()}")
    if case.output == "archive":
        archive = path.with_suffix(".a")
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(archive), str(path)], check=True)
        return archive
    return path


def inspect(program, path):
    run = subprocess.run([program, "inspect", "--format", "json", "--kernels", str(path)], capture_output=True, check=False)
    assert run.returncode == 0, f"inspect: exit {run.returncode}: {run.stderr.decode()}"
    return json.loads(run.stdout)["files"]


def check(case, files):
    problems = [p for f in files for p in f["problems"]]
    assert not problems, problems
    modules = [m for f in files for m in f["modules"] if not all(i.get("empty") for i in m["images"])]
    assert len(modules) == 1, f"expected one module with kernels, found {len(modules)}"
    raw = case.output in ("fatbin", "cubin", "ptx")
    kind = "raw" if raw else "relocatable" if case.relocatable else "registered"
    assert modules[0]["kind"] == kind, f"expected a {kind} module, found {modules[0]['kind']}"
    found = collections.Counter((i["kind"], i["arch"]) for i in modules[0]["images"])
    assert found == collections.Counter(case.images), f"expected {case.images}, found {dict(found)}"
    for image in modules[0]["images"]:
        label = f"{image['kind']} {image['arch']}"
        if image["kind"] == "ltoir":
            continue
        assert {k["name"] for k in image["kernels"]} == KERNELS, f"{label}: kernels {image['kernels']}"
        assert image["relocatable"] == case.relocatable, f"{label}: relocatable {image['relocatable']}"
        if image["kind"] == "sass":
            assert image["debug"] == case.debug, f"{label}: debug {image['debug']}"
            assert image["toolkit"], f"{label}: no toolkit"
        if case.output not in ("cubin", "ptx"):
            codec = case.codec(Image(image["kind"], image["arch"]))
            assert image["compression"] == codec, f"{label}: expected compression {codec}, found {image['compression']}"


def compare(case, files, cuobjdump, path):
    """The vendor's listing against ours. Expected differences: it drops the `f`, and does not read raw PTX or list LTO-IR."""
    if case.output == "ptx":
        return
    run = subprocess.run([cuobjdump, "-all", "--list-elf", "--list-ptx", str(path)], capture_output=True, text=True, check=False)
    theirs = collections.Counter()
    for kind, arch in re.findall(r"(ELF|PTX) file +\d+: \S+\.sm_(\d+[af]?)\.(?:cubin|ptx)", run.stdout):
        theirs[("sass" if kind == "ELF" else "ptx", arch)] += 1
    ours = collections.Counter()
    for image in (i for f in files for m in f["modules"] for i in m["images"]):
        if image["kind"] != "ltoir":
            ours[(image["kind"], image["arch"].rstrip("f"))] += 1
    without_f = collections.Counter()
    for (kind, arch), count in theirs.items():
        without_f[(kind, arch.rstrip("f"))] += count
    assert ours == without_f, f"cuobjdump lists {dict(theirs)}, we list {dict(ours)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cuobjdump")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    cuobjdump = peers.cuobjdump() if arguments.cuobjdump == "pypi" else arguments.cuobjdump

    def run(case):
        try:
            path = build(case, arguments.nvcc, arguments.work)
            files = inspect(arguments.program, path)
            check(case, files)
            if cuobjdump:
                compare(case, files, cuobjdump, path)
            return None
        except Exception as error:  # every case is run and told
            return f"{case.name}: {error}"

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(run, cases(arguments.all)))
    failures = [r for r in results if r]
    print("\n".join(f"FAILED {failure}" for failure in failures))
    print(f"{len(results) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
