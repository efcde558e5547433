#!/usr/bin/env python3
"""Large packages from PyPI: every file with device code has the same modules when it is read from the wheel and from the unpacked tree.

usage: large_wheels.py PROGRAM CACHE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

WHEELS = [("xgboost==3.2.0", "manylinux_2_28_x86_64"), ("xgboost==3.2.0", "manylinux_2_28_aarch64"), ("xgboost==3.2.0", "win_amd64"),
          ("nvidia-nccl-cu13==2.31.2", "manylinux_2_18_x86_64"), ("cupy-cuda12x==14.2.0", "manylinux2014_x86_64"),
          ("torch==2.15.0", "manylinux_2_28_x86_64")]


def fetch(requirement, platform, cache):
    folder = cache / f"{requirement}-{platform}"
    if not list(folder.glob("*.whl")):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder), "--platform",
                        platform, "--python-version", "3.11", requirement], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def modules_in(program, path, name):
    run = subprocess.run([program, "inspect", "--format", "json", str(path)], capture_output=True, check=False)
    assert run.returncode == 0, f"exit {run.returncode}: {run.stderr.decode()}"
    return {name(file): file["modules"] for file in json.loads(run.stdout)["files"] if file["modules"]}


def check(program, wheel):
    members = modules_in(program, wheel, lambda file: file["member"])
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        unpacked = modules_in(program, folder, lambda file: str(pathlib.Path(file["path"]).relative_to(folder)))
    assert unpacked == members, "the wheel and the unpacked tree differ"
    return f"{len(members)} files, {sum(map(len, members.values()))} modules"


def check_each(names, check_one):
    """A line for each; one that is wrong does not hide the others. The exit status."""
    failed = 0
    for name in names:
        try:
            print(f"ok       {name}: {check_one(name)}")
        except Exception as error:
            failed += 1
            print(f"FAILED   {name}: {error}")
    return 1 if failed else 0


def main():
    program, cache = sys.argv[1], pathlib.Path(sys.argv[2])
    wheels = {f"{requirement} {platform}": (requirement, platform) for requirement, platform in WHEELS}
    return check_each(wheels, lambda name: check(program, fetch(*wheels[name], cache)))


if __name__ == "__main__":
    sys.exit(main())
