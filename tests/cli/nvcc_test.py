"""verify on what nvcc really builds: the gate's first promise, and what the device link does to kernels. Exit status 77: no nvcc here."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
NVCC = shutil.which(os.environ.get("CUDACXX", "nvcc"))

SOURCES = {
    "first.cu": "__global__ void scale(float* p, float f) { p[threadIdx.x] *= f; }\n",
    "second.cu": "__global__ void reduce(const float* in, float* out) { atomicAdd(out, in[threadIdx.x]); }\n",
    "main.cu": "__device__ int shared(int);\n__global__ void used(int* p) { *p = shared(1); }\n"
               "int main() { used<<<1, 1>>>(nullptr); return 0; }\n",
    "more.cu": "__device__ int shared(int x) { return x + 1; }\n__global__ void never_launched(int* p) { *p = 2; }\n",
}


def sass(*archs):
    return [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in archs]


class Nvcc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, text in SOURCES.items():
            with open(cls.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def nvcc(self, *arguments):
        subprocess.run([NVCC, *arguments], cwd=self.folder.name, check=True, capture_output=True)

    def verify(self, name, *arguments, status):
        done = subprocess.run([PROGRAM, "verify", self.path(name), *arguments, "--format", "json"], capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout.decode() + done.stderr.decode())
        return json.loads(done.stdout)

    def test_second_source_lacks_an_architecture(self):
        pic = ["-Xcompiler", "-fPIC", "-c"]
        self.nvcc(*pic, *sass(80, 90), "first.cu", "-o", "first.o")
        self.nvcc(*pic, *sass(80), "second.cu", "-o", "second_80.o")
        self.nvcc(*pic, *sass(80, 90), "second.cu", "-o", "second.o")
        self.nvcc("-shared", "first.o", "second_80.o", "-o", "libgap.so")
        self.nvcc("-shared", "first.o", "second.o", "-o", "libwhole.so")

        self.assertEqual(self.verify("libwhole.so", "--require-sass", "80,90", status=0)["findings"], [])
        (finding,) = self.verify("libgap.so", "--require-sass", "80,90", status=1)["findings"]
        self.assertEqual((finding["code"], finding["arch"], finding["kernels"]), ("CAG101", "90", ["_Z6reducePKfPf"]))
        self.assertIn("sm_90", finding["message"])
        self.assertTrue(any("-gencode=arch=compute_90,code=sm_90" in fix for fix in finding["fixes"]))
        self.assertTrue(any("90-real" in fix for fix in finding["fixes"]))

        whole = os.path.getsize(self.path("libwhole.so"))
        shutil.copy(self.path("libwhole.so"), self.path("libcut.so"))
        os.truncate(self.path("libcut.so"), whole * 2 // 3)
        self.assertEqual(self.verify("libcut.so", "--require-sass", "80,90", status=2)["verdict"], "undecided")

    def test_kernels_that_the_device_link_drops(self):
        """nvlink drops a kernel that no host code refers to; one that its object could not give is a defect."""
        self.nvcc("-rdc=true", *sass(80, 90), "-c", "main.cu", "-o", "main.o")
        self.nvcc("-rdc=true", *sass(80, 90), "-c", "more.cu", "-o", "more.o")
        self.nvcc(*sass(80, 90), "main.o", "more.o", "-o", "program")
        self.verify("program", "--require-sass", "80,90", status=0)
        self.verify("program", "--require-sass", "86", status=1)

    def test_archive_of_relocatable_code(self):
        self.nvcc("-rdc=true", *sass(80, 90), "-c", "main.cu", "-o", "a.o")
        self.nvcc("-rdc=true", *sass(80), "-c", "more.cu", "-o", "b.o")
        subprocess.run(["ar", "rcs", "libdevice.a", "a.o", "b.o"], cwd=self.folder.name, check=True)
        self.verify("libdevice.a", "--require-sass", "80", status=0)
        (finding,) = self.verify("libdevice.a", "--require-sass", "90", status=1)["findings"]
        self.assertEqual(finding["member"], "b.o")


if __name__ == "__main__":
    if NVCC is None:
        sys.exit(77)
    unittest.main()
