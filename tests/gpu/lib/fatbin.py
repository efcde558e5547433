"""Making fat binaries image by image, putting them into objects, and damaging them on purpose."""

import struct
import subprocess


def images_of(container):
    """(header offset, header size, payload size) of every image of a container, by its chain."""
    magic, _, header, size = struct.unpack_from("<IHHQ", container)
    if magic != 0xBA55ED50:
        raise ValueError("not a fat binary")
    at, end, found = header, header + size, []
    while at < end:
        entry_header, = struct.unpack_from("<I", container, at + 4)
        payload, = struct.unpack_from("<Q", container, at + 8)
        found.append((at, entry_header, payload))
        at += entry_header + payload
    return found


def damaged(container, damage):
    """The container with some bytes changed: `image` counts from 0, `part` is header or payload, `byte` an offset in it (negative from its
    end), `bytes` how many are inverted; `set` writes a little-endian number of that many bytes instead. `truncate` cuts the container."""
    if "truncate" in damage:
        return truncated(container, damage)
    data = bytearray(container)
    at, header, payload = images_of(data)[damage["image"]]
    start, size = (at, header) if damage["part"] == "header" else (at + header, payload)
    first = start + damage["byte"] % size
    count = damage.get("bytes", 1)
    if "set" in damage:
        data[first : first + count] = damage["set"].to_bytes(count, "little")
    else:
        for i in range(first, first + count):
            data[i] ^= 0xFF
    return bytes(data)


def truncated(data, damage):
    """The first `truncate` bytes; a number below 1 is the part that stays."""
    keep = damage["truncate"]
    return bytes(data[: int(keep * len(data)) if keep < 1 else keep])


def create(fatbinary, images, output, compress, rdc):
    """`images` are (kind, architecture, file) in the order wanted."""
    command = [fatbinary, f"--create={output}", "-64"]
    if compress:
        command.append(f"--compress-mode={compress}")
    if rdc:
        command += ["-c", "--cmdline=--compile-only"]
    for kind, arch, file in images:
        command.append(f"--image3=kind={kind},sm={arch},file={file}")
    return command


def section_of(rdc):
    return "__nv_relfatbin" if rdc else ".nv_fatbin"


def take_section(obj, rdc, output):
    subprocess.run(["objcopy", f"--dump-section={section_of(rdc)}={output}", obj], check=True)


def put_section(obj, rdc, fatbin):
    """Replaces the container of an object; the wrapper refers to the section's start, so any size fits."""
    subprocess.run(["objcopy", f"--update-section={section_of(rdc)}={fatbin}", obj], check=True)
