#!/usr/bin/env python3
"""Files made to cost much: the memory that the program takes is bounded, and it says what it did not read."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MEGABYTE = 1 << 20


def entry(stored, expanded_size, flags=0x8011):
    """A compressed cubin of sm_80 whose header declares `expanded_size`."""
    padded = (len(stored) + 7) // 8 * 8
    header = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x0101, 64, padded, len(stored), 0, 8, 1, 80, 0, 0, flags, 0, expanded_size)
    return header + stored.ljust(padded, b"\0")


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def zstd_of_zeros(size):
    """One frame of `size` zeros: blocks of 128 KiB that repeat one byte, four bytes each."""
    block = 128 << 10
    frame = struct.pack("<IBQ", 0xFD2FB528, 0xE0, size)  # one segment, a size of eight bytes
    count = (size + block - 1) // block
    for i in range(count):
        length = min(block, size - i * block)
        frame += ((length << 3) | (1 << 1) | (i + 1 == count)).to_bytes(3, "little") + b"\0"
    return frame


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def inspect(self, name, data, *options):
        """The document, and the most memory that the process had."""
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(data)
        output = path.with_suffix(".json")
        with open(output, "wb") as out:
            process = subprocess.Popen([PROGRAM, "inspect", "--kernels", "--format", "json", *options, str(path)], stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 2)
        return json.loads(output.read_text()), usage.ru_maxrss * 1024

    def test_four_kilobytes_that_declare_64_gigabytes(self):
        bomb = container(entry(zstd_of_zeros(64 << 20), 64 << 30))
        self.assertLess(len(bomb), 4096)
        document, memory = self.inspect("bomb.fatbin", bomb)
        self.assertEqual([p["code"] for p in document["files"][0]["problems"]], ["CAG404"])
        self.assertLess(memory, 64 * MEGABYTE)

    def test_a_limit_that_was_raised_costs_what_is_there_and_not_what_is_declared(self):
        bomb = container(entry(zstd_of_zeros(64 << 20), 64 << 30))
        document, memory = self.inspect("bomb.fatbin", bomb, "--max-expanded-image", "100GB", "--max-expansion-ratio", "1000000000")
        # Where the machine promises 64 GB, what is there does not fill them; else it says so.
        self.assertIn([p["code"] for p in document["files"][0]["problems"]], (["CAG403"], ["CAG404"]))
        self.assertLess(memory, 256 * MEGABYTE)

    def test_many_large_images_share_the_memory_limit(self):
        size = 128 << 20
        bomb = container(*[entry(zstd_of_zeros(size), size)] * 16)
        document, memory = self.inspect("many.fatbin", bomb, "--max-expansion-ratio", "100000", "--max-memory", "200MiB", "--threads", "16")
        self.assertEqual({p["code"] for p in document["files"][0]["problems"]}, {"CAG402"})  # zeros are no cubin
        self.assertLess(memory, 300 * MEGABYTE)

    def test_a_million_images_cost_no_more_than_the_limit_on_images(self):
        """In one container, in many, and in many that only the search finds: architectures take less than 100 MB, whatever the file."""
        empty = entry(b"", 0, 0x11)
        thousand = empty * 1000
        damaged = b"\x7fELF\2\1\1" + bytes(100)  # no sections, so all of it is searched
        files = {"one": (struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1000 * len(thousand)), thousand, 1000),
                 "many": (b"", container(empty) * 1000, 500), "searched": (damaged, container(empty) * 1000, 500)}
        for name, (head, part, count) in files.items():
            path = pathlib.Path(self.folder.name) / name
            with open(path, "wb") as out:  # piece by piece: a child's peak memory counts what its parent held
                out.write(head)
                for _ in range(count):
                    out.write(part)
            process = subprocess.Popen([PROGRAM, "inspect", str(path)], stdout=subprocess.PIPE)
            with process.stdout:
                text = process.stdout.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 2, name)
            self.assertIn("CAG404", text, name)
            self.assertLess(usage.ru_maxrss * 1024, 100 * MEGABYTE, name)

    def test_an_expansion_beyond_the_ratio_is_refused(self):
        size = 32 << 20
        document, _ = self.inspect("ratio.fatbin", container(entry(zstd_of_zeros(size), size)))
        self.assertEqual([p["code"] for p in document["files"][0]["problems"]], ["CAG404"])

    def test_a_member_of_more_than_four_gigabytes(self):
        """A static library with a hole in it: the member behind five gigabytes is read."""
        path = pathlib.Path(self.folder.name) / "large.a"
        size = 5 << 30

        def header(name, length):
            return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{length:<10}`\n".encode()

        with open(path, "wb") as file:
            file.write(b"!<arch>\n" + header("hole.o/", size))
            file.seek(size, os.SEEK_CUR)
            file.write(header("bad.fatbin/", 16) + container())
        run = subprocess.run([PROGRAM, "inspect", "--format", "json", str(path)], capture_output=True, check=True)
        files = json.loads(run.stdout)["files"]
        self.assertEqual(files[-1]["member"], "bad.fatbin")
        self.assertEqual(len(files[-1]["modules"]), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
