"""make_ptx_newer.py FILE: gives the uncompressed PTX in a finished file the ISA version 9.5, as if nvcc 13.5 had made it."""
import pathlib
import re
import sys

path = pathlib.Path(sys.argv[1])
data = bytearray(path.read_bytes())
changed = 0
for text in re.finditer(rb"\.version \d\.(\d)", bytes(data)):
    entry = data.rfind(b"\x01\x00\x01\x01", 0, text.start())  # kind PTX, entry version 0x101
    if entry < 0 or text.start() - entry > 512:
        continue
    data[entry + 24:entry + 28] = b"\x05\x00\x09\x00"  # minor, major
    data[text.start():text.end()] = b".version 9.5"
    changed += 1
path.write_bytes(data)
sys.exit(0 if changed else f"{path}: no PTX entry was found")
