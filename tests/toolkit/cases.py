#!/usr/bin/env python3
"""Builds the cases of cases.json with nvcc and asks `cuda-arch-guard predict` about each GPU and driver that they name."""

import argparse
import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

from builds import Builder, Toolkit


def predict(program, path, ask):
    command = [program, "predict", path, "--gpu", ask["gpu"], "--driver", ask.get("driver", "580"), "--format", "json", "--kernels"]
    command += ["--env", ask["env"]] if "env" in ask else []
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    outcomes = [o for f in json.loads(done.stdout)["files"] for m in f["modules"] for o in m.get("outcomes", [])]
    return outcomes, done.returncode


def differences(ask, outcomes, kernel):
    answers = [o for o in outcomes if o["kernel"] == kernel]
    if len(answers) != 1:
        return [f"{len(answers)} outcomes for the kernel"]
    answer = answers[0]
    given = {
        "outcome": answer["outcome"],
        "error": (answer["error"] or {}).get("code"),
        "image": (answer["image"] or {}).get("arch"),
        "confidence": answer["confidence"],
    }
    found = [f"{key}: expected {ask[key]}, predicted {value}" for key, value in given.items() if key in ask and ask[key] != value]
    if "error" not in ask and ask["outcome"] != "fails" and given["error"]:
        found.append(f"error {given['error']} predicted")
    texts = answer["reasons"] + answer["warnings"] + answer["fixes"]
    if "says" in ask and not any(ask["says"] in text for text in texts):
        found.append(f"no reason, warning or fix says \"{ask['says']}\": {texts}")
    return found


def check(program, path, case):
    found = []
    for ask in case["asks"]:
        outcomes, status = predict(program, path, ask)
        kernel = ask.get("kernel", "k" if "file" in case else "k0")
        texts = differences(ask, outcomes, kernel)
        if len(outcomes) != case.get("kernels", len(outcomes)):
            texts.append(f"{len(outcomes)} kernels, expected {case['kernels']}")
        if status != (1 if any(o["outcome"] == "fails" for o in outcomes) else 0):
            texts.append(f"exit status {status}")
        found += [f"{path.name} on {ask['gpu']} with driver {ask.get('driver', '580')}: {text}" for text in texts]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=Path, help="cuda-arch-guard")
    parser.add_argument("--work", required=True, type=Path, help="folder for what is built; kept for the next time")
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    toolkit = Toolkit(options.nvcc)
    if toolkit.release != "13.0":
        print(f"skipped: the cases are written for nvcc 13.0, and this is {toolkit.release}")
        return 77
    builder = Builder({"13.0": toolkit}, options.work)
    cases = json.loads(Path(__file__).with_name("cases.json").read_text())

    def one(case):
        return check(options.program, builder.program(case) if "units" in case else builder.load(case), case)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = [text for texts in pool.map(one, cases["programs"] + cases["loads"]) for text in texts]
    for text in found:
        print(text)
    asked = sum(len(case["asks"]) for case in cases["programs"] + cases["loads"])
    print(f"{asked} questions, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
