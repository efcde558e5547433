"""The vendor's tools that tests and benchmarks run beside ours: fetched from PyPI into .cache/, never committed."""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]


def cuobjdump():
    """Path of the newest cuobjdump."""
    venv = root / ".cache" / "peers"
    pattern = "lib/python*/site-packages/nvidia/*/bin/cuobjdump"
    if not list(venv.glob(pattern)):
        print("fetching nvidia-cuda-cuobjdump from PyPI into .cache/peers", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", "nvidia-cuda-cuobjdump"], check=True)
    return sorted(venv.glob(pattern))[-1]
