#!/usr/bin/env python3
"""Builds many small files with the compilers at hand and checks that the reader lists exactly what each command line asked for.

usage: corpus.py --program cuda-arch-guard --nvcc nvcc --work DIR [--all] [--clang clang++ --cuda-path DIR] [--cuobjdump PATH|pypi] [--jobs N]

Without --all a selection is built that covers every option once; with it, every combination. --nvcc may be repeated: one toolkit each. With
--cuobjdump each file is also compared, entry by entry, with what the vendor's tool lists; differences.json names those in which it is wrong.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here), str(here.parent)]
import cases as corpus  # noqa: E402
import compare  # noqa: E402
import peers  # noqa: E402

KERNELS = {"_Z5alphaPi", "_Z4betaIfEvPT_"}
Toolkit = collections.namedtuple("Toolkit", "nvcc release real virtual has_concat cuobjdump")


def toolkit_of(nvcc):
    def ask(*options):
        return subprocess.run([nvcc, *options], capture_output=True, text=True, check=True).stdout

    real = {a[3:] for a in ask("--list-gpu-code").split()}
    virtual = {a[8:] for a in ask("--list-gpu-arch").split()}
    release = re.search(r"release ([0-9.]+)", ask("--version")).group(1)
    beside = pathlib.Path(nvcc).resolve().parent / "cuobjdump"
    # nvcc 13 lists the plain targets alone.
    newer = {f"{a}{letter}" for a in real if int(a.rstrip("af")) >= 90 and int(release.split(".")[0]) >= 13 for letter in "af"} - {"90f"}
    older = {"90a"} if release.startswith("12.") else set()
    return Toolkit(nvcc, release, real | newer | older, virtual | newer | older, "--concat" in ask("--help"), str(beside) if beside.exists() else None)


MAKE = {
    "object": (["-c"], "o"),
    "shared": (["-shared", "-Xcompiler", "-fPIC"], "so"),
    "program": ([str(here / "main.cpp")], "exe"),
    "fatbin": (["-fatbin"], "fatbin"),
    "cubin": (["-cubin"], "cubin"),
    "ptx": (["-ptx"], "ptx"),
    "archive": (["-c"], "o"),
}


def run(command):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {result.stderr.strip()[:400]}")


def build(case, compiler, work):
    options, suffix = MAKE[case.output]
    path = work / f"{case.name}.{suffix}"
    # The host compiler may be newer than the toolkit knows: these sources include nothing of its.
    more = ["-allow-unsupported-compiler"] if case.tool == "nvcc" else []
    run([compiler, *more, *case.flags, *options, here / "kernels.cu", "-o", path])
    if case.output == "archive":
        archive = path.with_suffix(".a")
        archive.unlink(missing_ok=True)
        run(["ar", "rcs", archive, path])
        return archive
    return path


def inspect(program, path):
    result = subprocess.run([program, "inspect", "--format", "json", "--kernels", "--sizes", str(path)], capture_output=True, check=False)
    assert result.returncode == 0, f"inspect: exit {result.returncode}: {result.stderr.decode()}"
    files = json.loads(result.stdout)["files"]
    problems = [p for f in files for p in f["problems"]]
    assert not problems, problems
    unexplained = sum(f["sizes"]["unexplained"] for f in files)
    assert unexplained == 0, f"{unexplained} unexplained bytes"
    return files


def check(case, files):
    modules = [m for f in files for m in f["modules"] if not all(i.get("empty") for i in m["images"])]
    if not case.relocatable and case.output in ("shared", "program") and all(i.kind == "ptx" for i in case.images):
        # A link without SASS takes the device runtime along, for the driver to link with.
        modules = [m for m in modules if m["kind"] != "relocatable"]
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
        if case.tool == "nvcc" or image["kind"] == "sass":  # clang's PTX does not say
            assert image["relocatable"] == case.relocatable, f"{label}: relocatable {image['relocatable']}"
        if image["kind"] == "sass":
            assert image["debug"] == case.debug, f"{label}: debug {image['debug']}"
            assert image["toolkit"], f"{label}: no toolkit"
        if case.output not in ("cubin", "ptx") and case.codec:
            codec = case.codec(corpus.Image(image["kind"], image["arch"]))
            assert image["compression"] == codec, f"{label}: expected compression {codec}, found {image['compression']}"


def check_hidden(program, toolkit, work, comparison):
    """The same code where tools that go by section names do not look."""
    case = next(c for c in corpus.cases(toolkit, False) if c.name.startswith("fallback-shared-default"))
    original = build(case, toolkit.nvcc, work)
    fatbin = build(next(c for c in corpus.cases(toolkit, False) if c.name.startswith("fallback-fatbin-default")), toolkit.nvcc, work)
    renamed, stripped, embedded = work / "renamed.so", work / "no-section-table.so", work / "embedded.o"
    run(["objcopy", "--rename-section", ".nv_fatbin=.mine", "--rename-section", ".nvFatBinSegment=.wraps", original, renamed])
    data = bytearray(original.read_bytes())
    data[0x28:0x30] = bytes(8)  # e_shoff
    data[0x3c:0x40] = bytes(4)  # e_shnum, e_shstrndx
    stripped.write_bytes(data)
    source = work / "embedded.s"
    source.write_text(f'.section .rodata\n.byte 7\n.incbin "{fatbin}"\n.section .note.GNU-stack,""\n')
    run(["cc", "-c", source, "-o", embedded])
    for name, path, whole in (("renamed-sections", renamed, original), ("no-section-table", stripped, original), ("embedded", embedded, fatbin)):
        files = inspect(program, path)
        if comparison:
            comparison.check_hidden(name, path, whole, files)
        else:
            assert compare.entries_of(files) == compare.entries_of(inspect(program, whole)), name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--nvcc", action="append", default=[])
    parser.add_argument("--clang")
    parser.add_argument("--cuda-path", help="toolkit that clang knows")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cuobjdump")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    cuobjdump = str(peers.cuobjdump()) if arguments.cuobjdump == "pypi" else arguments.cuobjdump

    failures = []
    for compiler in arguments.nvcc + ([arguments.clang] if arguments.clang else []):
        is_clang = compiler == arguments.clang
        toolkit = None if is_clang else toolkit_of(compiler)
        work = arguments.work / ("clang" if is_clang else toolkit.release)
        work.mkdir(parents=True, exist_ok=True)
        comparison = compare.Comparison(cuobjdump, toolkit and toolkit.cuobjdump) if cuobjdump else None
        chosen = list(corpus.clang_cases(arguments.cuda_path) if is_clang else corpus.cases(toolkit, arguments.all))

        def attempt(name, work_on):
            try:
                work_on()
                return None
            except Exception as error:  # every case is run and told
                return f"{name}: {error}"

        def one(case):
            path = build(case, compiler, work)
            files = inspect(arguments.program, path)
            check(case, files)
            if comparison:
                comparison.check(path, files, is_ptx=case.output == "ptx")

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda case: attempt(case.name, lambda: one(case)), chosen))
        if not is_clang:
            results.append(attempt("hidden", lambda: check_hidden(arguments.program, toolkit, work, comparison)))
        failed = [f"{work.name}: {r}" for r in results if r]
        failures += failed
        print(f"{work.name}: {len(results) - len(failed)} passed, {len(failed)} failed")
        if comparison:
            print(f"  beside cuobjdump: {', '.join(f'{name} {count}' for name, count in sorted(comparison.seen.items()))}")
    print("\n".join(f"FAILED {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
