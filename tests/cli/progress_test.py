"""Progress on a terminal, and Ctrl-C: on a pseudo-terminal, with work that lasts."""

import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
MEGABYTE = 1 << 20


def wheel_of_one_member_many_times(path, data, count):
    """Deflated once, so that the file is made at once; every copy has to be expanded."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(data) + packer.flush()
    directory = b""
    with open(path, "wb") as file:
        for number in range(count):
            name = f"lib{number:04}.so".encode()
            common = struct.pack("<HHHHHIIIH", 20, 0, 8, 0, 0, zlib.crc32(data), len(packed), len(data), len(name))
            directory += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHHII", 0, 0, 0, 0, 0, file.tell()) + name
            file.write(b"PK\3\4" + common + b"\0\0" + name + packed)
        begin = file.tell()
        file.write(directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), begin, 0))


class OnATerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([MAKE_INPUTS, cls.folder / "inputs"], check=True)
        library = (cls.folder / "inputs/libcomplete.so").read_bytes()
        cls.wheel = cls.folder / "long.whl"
        # A long rest that the search for containers has to go through, as often as it takes some seconds on this machine; 4 GB at most.
        data = library.ljust(16 * MEGABYTE, b"\1")
        wheel_of_one_member_many_times(cls.wheel, data, 16)
        begin = time.monotonic()
        subprocess.run([PROGRAM, "inspect", "--threads", "1", str(cls.wheel)], check=True, stdout=subprocess.DEVNULL)
        count = 16 * 4 / (time.monotonic() - begin)
        wheel_of_one_member_many_times(cls.wheel, data, max(16, min(250, int(count))))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def start(self, *options, **more):
        """The program with its standard error on a terminal; standard output goes to a file."""
        self.terminal, side = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.output = open(self.folder / "output.json", "wb")
        self.addCleanup(self.output.close)
        process = subprocess.Popen([PROGRAM, "inspect", "--format", "json", *options, str(self.wheel)], stdin=subprocess.DEVNULL,
                                   stdout=self.output, stderr=side, **more)
        os.close(side)
        return process

    def read_until(self, pattern, seconds=120):
        """What was shown, up to the pattern or the end of the program."""
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end and not (pattern and re.search(pattern, shown)):
            if select.select([self.terminal], [], [], 0.5)[0]:
                try:
                    data = os.read(self.terminal, 65536)
                except OSError:  # the program has closed its side
                    break
                shown += data
                if not data:
                    break
        return shown.decode()

    def test_bar_rate_and_time_left(self):
        process = self.start("--threads", "1")
        shown = self.read_until(None)
        self.assertEqual(process.wait(10), 0)
        lines = [line for line in shown.split("\r\x1b[K") if line]
        self.assertTrue(lines, "the work did not last a second")
        for line in lines:
            self.assertRegex(line, r"^\[#*-*\]  [\d.]+ \w+ of [\d.]+ \w+, \d+ files, [\d.]+ \w+/s, \d+ s left$")
        share = [line.count("#") for line in lines]
        self.assertEqual(share, sorted(share))
        self.assertTrue(shown.endswith("\r\x1b[K"), "the line is gone at the end")

    def test_interrupt(self):
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        before = set(self.folder.rglob("*"))
        # Members that do not fit in memory, so that there are temporary files; a report that would be written at the end.
        process = self.start("--threads", "1", "--max-memory", "1MiB", "--report", f"html={self.folder / 'report.html'}",
                             env={**os.environ, "TMPDIR": str(temporary)})
        self.assertRegex(self.read_until(rb"MiB/s|KiB/s|GiB/s"), r"/s")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), -signal.SIGINT)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(set(self.folder.rglob("*")) - before, {self.folder / "output.json"} - before)
        self.assertEqual((self.folder / "output.json").read_bytes(), b"")

    def test_nothing_is_shown_without_a_terminal(self):
        done = subprocess.run([PROGRAM, "inspect", "--format", "json", str(self.folder / "inputs/libcomplete.so")], capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
