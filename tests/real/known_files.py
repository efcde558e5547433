#!/usr/bin/env python3
"""Reads published files and compares what the program lists with what is known of them, and with what cuobjdump lists.

usage: known_files.py --program cuda-arch-guard --cache DIR [--toolkit-libraries DIR] [--slow] [--cuobjdump PATH|pypi --compare DIR...]

Wheels come from PyPI by pip and stay in the cache. The toolkit's libraries are read where they are installed; where they are not, this part is
named as skipped. --slow adds the large files. --compare reads every library of a folder (.so, .a) beside cuobjdump: what lies in the usual
sections must be the same, entry by entry, and all bytes of device code must be explained.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import zipfile

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here.parent), str(here.parent / "corpus")]
import compare  # noqa: E402
import peers  # noqa: E402


def inspect(program, path):
    """The files of the document. No problem and no unexplained byte is expected in any published file."""
    run = subprocess.run([program, "inspect", "--format", "json", "--kernels", "--sizes", str(path)], capture_output=True, check=False)
    assert run.returncode == 0, f"exit {run.returncode}: {run.stderr.decode()}"
    files = json.loads(run.stdout)["files"]
    assert not any(file["problems"] for file in files), [file["problems"] for file in files]
    unexplained = sum(file["sizes"]["unexplained"] for file in files)
    assert unexplained == 0, f"{unexplained} unexplained bytes"
    return files


def wheel_path(wheel, cache):
    name = wheel["requirement"].split("==")[0].replace("-", "_")
    version = wheel["requirement"].split("==")[1]
    found = sorted(cache.glob(f"{name}-{version}-*{wheel['platform']}*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(cache),
                   "--platform", wheel["platform"], "--python-version", "3.11", wheel["requirement"]]
        subprocess.run(command, check=True)
        found = sorted(cache.glob(f"{name}-{version}-*{wheel['platform']}*.whl"))
    return found[0]


def wheel_member(wheel, cache):
    path = wheel_path(wheel, cache)
    with zipfile.ZipFile(path) as archive:
        return pathlib.Path(archive.extract(wheel["file"], cache / "unpacked" / path.stem))


def expect(what, expected, found):
    assert found == expected, f"{what}: expected {expected}, found {found}"


def check_wheel(program, wheel, cache):
    files = inspect(program, wheel_member(wheel, cache))
    expect("files", 1, len(files))
    straight = [file["modules"] for file in inspect(program, wheel_path(wheel, cache)) if file["member"] == wheel["file"]]
    assert straight == [files[0]["modules"]], "read from the wheel, the file differs from the unpacked one"
    # The empty cubin that a host link leaves is a module of the file, but holds nothing.
    modules = [m for m in files[0]["modules"] if m["kind"] in ("registered", "relocatable") or not all(i.get("empty") for i in m["images"])]
    expect("modules", wheel["modules"], dict(collections.Counter(m["kind"] for m in modules)))
    kernels = collections.defaultdict(set)
    for module in modules:
        # What the device link makes is SASS alone.
        for kind in ("sass", "ptx") if module["kind"] != "linked" else ("sass",):
            if f"each_{kind}" in wheel:
                found = [image["arch"] for image in module["images"] if image["kind"] == kind]
                expect(f"module {module['index']} {kind}", sorted(wheel[f"each_{kind}"]), sorted(found))
        for image in module["images"]:
            kernels[image["kind"], image["arch"]].update(kernel["name"] for kernel in image["kernels"])
    if wheel.get("kernels_in") == "all together":
        kernels = {"all": set().union(*kernels.values())}
    expect("device code", wheel["kernels"] != 0, bool(kernels))
    wrong = {key: len(names) for key, names in kernels.items() if len(names) != wheel["kernels"]}
    assert not wrong, f"kernels: expected {wheel['kernels']} in each architecture, found {wrong}"


def check_library(program, library, directory):
    modules = [m for file in inspect(program, directory / library["name"]) for m in file["modules"]]
    sections = collections.Counter(m["section"] for m in modules)
    for section, count in library.get("sections", {}).items():
        expect(f"containers in {section}", count, sections[section])
    if "containers" in library:
        expect("containers", library["containers"], len(modules))
    if "images" in library:
        expect("images", library["images"], dict(collections.Counter(i["kind"] for m in modules for i in m["images"])))


def check_beside_cuobjdump(program, cuobjdump, path):
    """What cuobjdump does not see is left out: other sections, LTO-IR, and the letter of family targets."""
    usual = (".nv_fatbin", "__nv_relfatbin")
    images = [i for f in inspect(program, path) for m in f["modules"] if m["section"] in usual for i in m["images"]]
    ours = collections.Counter((i["kind"], i["arch"].rstrip("f")) for i in images if i["kind"] in ("sass", "ptx"))
    found, status = compare.listing(cuobjdump, path)
    theirs = collections.Counter()
    for (kind, arch), count in found.items():
        theirs[kind, arch.rstrip("f")] += count
    if status != 0 and theirs != ours:
        return f"cuobjdump ends with status {status} after {sum(theirs.values())} of {sum(ours.values())} entries"
    expect("entries", dict(theirs), dict(ours))
    return f"{sum(ours.values())} entries, as cuobjdump"


def check_device_runtime(program, directory):
    """libcudadevrt.a: every member with device code is relocatable, for every architecture of the toolkit."""
    files = [f for f in inspect(program, directory / "libcudadevrt.a") if f["modules"]]
    assert files and all(f["member"] for f in files)
    for file in files:
        assert all(m["kind"] == "relocatable" for m in file["modules"]), file["member"]
        archs = {i["arch"] for m in file["modules"] for i in m["images"] if i["kind"] == "sass"}
        assert {"75", "80", "90", "100", "120"} <= archs, archs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    parser.add_argument("--toolkit-libraries", type=pathlib.Path)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--cuobjdump")
    parser.add_argument("--compare", action="append", type=pathlib.Path, default=[])
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    known = json.loads((here / "known_files.json").read_text())

    def is_chosen(item):
        return arguments.slow or not item.get("slow")

    checks = [(f"{w['requirement']} {w['file']}", lambda w=w: check_wheel(arguments.program, w, arguments.cache))
              for w in known["wheels"] if is_chosen(w)]
    skipped = []
    directory = arguments.toolkit_libraries
    for library in filter(is_chosen, known["toolkit"]["libraries"]):
        if directory and (directory / library["name"]).exists():
            checks.append((library["name"], lambda l=library: check_library(arguments.program, l, directory)))
        else:
            skipped.append(library["name"])
    if directory and (directory / "libcudadevrt.a").exists():
        checks.append(("libcudadevrt.a", lambda: check_device_runtime(arguments.program, directory)))
    else:
        skipped.append("libcudadevrt.a")
    cuobjdump = str(peers.cuobjdump()) if arguments.cuobjdump == "pypi" else arguments.cuobjdump
    for folder in arguments.compare:
        for path in sorted(p for p in folder.iterdir() if p.is_file() and not p.is_symlink() and (".so" in p.name or p.suffix == ".a")):
            checks.append((f"{path.name} beside cuobjdump", lambda p=path: check_beside_cuobjdump(arguments.program, cuobjdump, p)))

    failed = 0
    for name, check in checks:
        try:
            print(f"ok       {name}", check() or "", flush=True)
        except Exception as error:  # one wrong file does not hide the others
            failed += 1
            print(f"FAILED   {name}: {error}")
    for name in skipped:
        print(f"skipped  {name}: not in the toolkit at hand ({directory})")
    print(f"{len(checks) - failed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
