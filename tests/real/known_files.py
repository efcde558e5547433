#!/usr/bin/env python3
"""Reads published files and compares what the program lists with what is known of them.

usage: known_files.py --program cuda-arch-guard --cache DIR [--toolkit-libraries DIR]

Wheels come from PyPI by pip and stay in the cache. The toolkit's libraries are read where they are installed; where they are not, this part is
named as skipped.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import zipfile

here = pathlib.Path(__file__).resolve().parent


def inspect(program, path):
    run = subprocess.run([program, "inspect", "--format", "json", "--kernels", str(path)], capture_output=True, check=False)
    assert run.returncode == 0, f"exit {run.returncode}: {run.stderr.decode()}"
    return json.loads(run.stdout)


def wheel_member(wheel, cache):
    """The file of the wheel, unpacked by hand: wheels themselves are not read here."""
    name = wheel["requirement"].split("==")[0]
    version = wheel["requirement"].split("==")[1]
    found = sorted(cache.glob(f"{name}-{version}-*{wheel['platform']}*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(cache),
                   "--platform", wheel["platform"], "--python-version", "3.11", wheel["requirement"]]
        subprocess.run(command, check=True)
        found = sorted(cache.glob(f"{name}-{version}-*{wheel['platform']}*.whl"))
    target = cache / "unpacked" / f"{name}-{version}"
    with zipfile.ZipFile(found[0]) as archive:
        return pathlib.Path(archive.extract(wheel["file"], target))


def check_wheel(program, wheel, cache):
    files = inspect(program, wheel_member(wheel, cache))["files"]
    assert len(files) == 1 and not files[0]["problems"], files[0]["problems"]
    # The empty cubin that a host link leaves is a module of the file, but holds nothing.
    modules = [m for m in files[0]["modules"] if not all(image.get("empty") for image in m["images"])]
    assert len(modules) == wheel["modules"], f"modules: expected {wheel['modules']}, found {len(modules)}"
    kernels = {}
    for module in modules:
        assert module["kind"] == "registered", module["kind"]
        for kind, expected in (("sass", wheel["each_sass"]), ("ptx", wheel["each_ptx"])):
            found = [image["arch"] for image in module["images"] if image["kind"] == kind]
            assert sorted(found) == sorted(expected), f"module {module['index']} {kind}: expected {expected}, found {found}"
        for image in module["images"]:
            key = (image["kind"], image["arch"])
            kernels.setdefault(key, set()).update(kernel["name"] for kernel in image["kernels"])
    wrong = {key: len(names) for key, names in kernels.items() if len(names) != wheel["kernels"]}
    assert not wrong, f"kernels: expected {wheel['kernels']} in each architecture, found {wrong}"


def check_library(program, library, directory):
    files = inspect(program, directory / library["name"])["files"]
    assert len(files) == 1 and not files[0]["problems"], files[0]["problems"]
    usual = [m for m in files[0]["modules"] if m["section"] == ".nv_fatbin"]
    assert len(usual) == library["containers"], f"containers: expected {library['containers']}, found {len(usual)}"


def check_device_runtime(program, directory):
    """libcudadevrt.a: every member with device code is relocatable, for every architecture of the toolkit."""
    files = [f for f in inspect(program, directory / "libcudadevrt.a")["files"] if f["modules"]]
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
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    known = json.loads((here / "known_files.json").read_text())

    checks = [(w["requirement"], lambda w=w: check_wheel(arguments.program, w, arguments.cache)) for w in known["wheels"]]
    skipped = []
    directory = arguments.toolkit_libraries
    for library in known["toolkit"]["libraries"]:
        if directory and (directory / library["name"]).exists():
            checks.append((library["name"], lambda l=library: check_library(arguments.program, l, directory)))
        else:
            skipped.append(library["name"])
    if directory and (directory / "libcudadevrt.a").exists():
        checks.append(("libcudadevrt.a", lambda: check_device_runtime(arguments.program, directory)))
    else:
        skipped.append("libcudadevrt.a")

    failed = 0
    for name, check in checks:
        try:
            check()
            print(f"ok       {name}")
        except Exception as error:  # one wrong file does not hide the others
            failed += 1
            print(f"FAILED   {name}: {error}")
    for name in skipped:
        print(f"skipped  {name}: not in the toolkit at hand ({directory})")
    print(f"{len(checks) - failed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
