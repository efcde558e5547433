#!/usr/bin/env python3
"""Builds the programs of a record of driver outcomes with nvcc, and compares what `cuda-arch-guard predict` says of them.

The record (tests/data/ground_truth) says in its "about" what its fields mean. A program belongs to the newest toolkit that any of its units
names; --toolkit picks whose programs are built. Sources are written here, since what matters is which images a file holds.
"""

import argparse
import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

from builds import Builder, Toolkit, toolkit_of

def predict(program, path, env):
    command = [program, "predict", path, "--gpu", "9.0", "--driver", "580", "--format", "json", "--kernels"]
    if env:
        command += ["--env", env]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    document = json.loads(done.stdout)
    outcomes = [o for f in document["files"] for m in f["modules"] for o in m.get("outcomes", [])]
    return outcomes, done.returncode


def differences(expected, outcome):
    """What a prediction says otherwise than the record; [] where they agree."""
    error = outcome["error"]["code"] if outcome["error"] else 0
    found = []
    if error != expected["error"] or (outcome["outcome"] == "fails") != (expected["error"] != 0):
        found.append(f"recorded {expected['error']}, predicted {outcome['outcome']} {error}")
    if outcome["confidence"] != "measured":
        found.append(f"confidence {outcome['confidence']} for a recorded outcome")
    return found


def check_program(program, path, recipe):
    found = []
    linked = any(unit.get("rdc") for unit in recipe["units"])
    for outcome in recipe["outcomes"]:
        predicted, status = predict(program, path, outcome["env"])
        where = f"{recipe['name']} [{outcome['env']}]"
        if len(predicted) != len(recipe["units"]):
            found.append(f"{where}: {len(recipe['units'])} kernels were built, {len(predicted)} outcomes predicted")
            continue
        for number, (unit, expected) in enumerate(zip(recipe["units"], outcome["kernels"])):
            if recipe.get("shape") == "template":  # one name for both; modules come in link order
                answer = predicted[number]
            else:
                answer = next(p for p in predicted if p["kernel"] == unit["kernel"])
            said = differences(expected, answer)
            if "ran" in expected and not linked and answer["image"] and answer["image"]["arch"] != expected["ran"]:
                said.append(f"code for {expected['ran']} ran, image {answer['image']['arch']} predicted")
            found += [f"{where} {unit['kernel']}: {text}" for text in said]
        if (status == 1) != any(kernel["error"] for kernel in outcome["kernels"]) or status not in (0, 1):
            found.append(f"{where}: exit status {status}")
    return found


def check_load(program, path, load):
    predicted, _ = predict(program, path, load["env"])
    where = f"{load['file']} [{load['env']}]"
    if load.get("cut"):  # nothing of it can be read: then there is nothing to predict, and the exit status says so
        return [] if not predicted or predicted[0]["outcome"] != "sass" else [f"{where}: a file cut short is promised to run"]
    if len(predicted) != 1:
        return [f"{where}: {len(predicted)} outcomes predicted"]
    return [f"{where}: {text}" for text in differences(load, predicted[0])]


def fetched(release):
    done = subprocess.run([Path(__file__).with_name("get-nvcc"), release], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"skipped: nvcc {release} could not be fetched")
        sys.exit(77)
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=Path, help="cuda-arch-guard")
    parser.add_argument("--record", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path, help="folder for what is built; kept for the next time")
    parser.add_argument("--nvcc", required=True, help="an nvcc; its release is asked from it")
    parser.add_argument("--fetch", action="append", default=[], metavar="RELEASE", help="take the nvcc of this release from PyPI too")
    parser.add_argument("--toolkit", required=True, help="check the programs that need this release and none newer")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    toolkits = {toolkit.release: toolkit for toolkit in map(Toolkit, [options.nvcc, *map(fetched, options.fetch)])}
    record = json.loads(options.record.read_text())
    programs = [p for p in record["programs"] if toolkit_of(p) == options.toolkit]
    loads = [l for l in record["loads"] if toolkit_of(l) == options.toolkit and not l.get("warm_cache")]
    needed = {u.get("toolkit", "13.0") for p in programs for u in p["units"]}
    if not needed <= set(toolkits):
        print(f"skipped: nvcc {', '.join(sorted(needed - set(toolkits)))} is not here (found {', '.join(sorted(toolkits))})")
        return 77
    builder = Builder(toolkits, options.work)

    def check(recipe):
        if "units" in recipe:
            return check_program(options.program, builder.program(recipe), recipe)
        return check_load(options.program, builder.load(recipe), recipe)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = [text for texts in pool.map(check, programs + loads) for text in texts]
    for text in found:
        print(text)
    outcomes = sum(len(p["outcomes"]) * len(p["units"]) for p in programs) + len(loads)
    print(f"{len(programs)} programs and {len(loads)} loads, {outcomes} outcomes compared, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
