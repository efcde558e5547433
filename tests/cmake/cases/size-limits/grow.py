"""Makes the last image of a fat binary 1.7 GiB long, with bytes that the file system does not store: grow.py SMALL LARGE"""

import struct
import sys

small, large = sys.argv[1:]
with open(small, "rb") as file:
    fatbin = bytearray(file.read())
more = 1700 << 20
offset = 16  # a container is magic, version and header size, and the size of what follows; an image likewise
while offset < len(fatbin):
    last = offset
    offset += struct.unpack_from("<I", fatbin, offset + 4)[0] + struct.unpack_from("<Q", fatbin, offset + 8)[0]
for place in (8, last + 8):
    struct.pack_into("<Q", fatbin, place, struct.unpack_from("<Q", fatbin, place)[0] + more)
with open(large, "wb") as file:
    file.write(fatbin)
    file.truncate(len(fatbin) + more)
