#!/usr/bin/env python3
"""Holds tests/data/reported_failures.json against the tests: each failure is tested somewhere, and what is named is there."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    failures = json.loads((ROOT / "tests/data/reported_failures.json").read_text(encoding="utf-8"))["failures"]
    wrong = []
    for failure in failures:
        if not failure["tested"]:
            wrong.append(f"{failure['what']}: no test is named")
        for name, text in failure["tested"]:
            path = ROOT / name
            if not text or not path.is_file() or text not in path.read_text(encoding="utf-8"):
                wrong.append(f"{failure['what']}: {name} has no \"{text}\"")
    print("\n".join(wrong + [f"{len(failures)} reported failures, {len(wrong)} without their test"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
