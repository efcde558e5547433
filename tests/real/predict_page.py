#!/usr/bin/env python3
"""The example of docs/predict.md, made again from the wheel of PyPI and compared with the page.

usage: predict_page.py --program cuda-arch-guard --cache DIR --page docs/predict.md
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from known_files import wheel_member

WHEEL = {"requirement": "torchaudio==2.8.0", "platform": "manylinux_2_28_x86_64", "file": "torchaudio/lib/libtorchaudio.so"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    parser.add_argument("--page", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    library = wheel_member(WHEEL, options.cache.resolve())
    command, shown = re.search(r"```console\n\$ cuda-arch-guard (.*)\n((?:.*\n)*?)```", options.page.read_text()).groups()
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([options.program.resolve(), *command.split()], cwd=library.parent, env=environment, capture_output=True, text=True)
    if done.stdout.strip() == shown.strip() and done.returncode == 1:
        return 0
    print(f"exit status {done.returncode}; docs/predict.md shows another answer than\n{done.stdout}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
