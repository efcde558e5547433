#!/usr/bin/env python3
"""The policy file: its schema and its reader agree, and a baseline sees what gets lost."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

try:
    import jsonschema
except ImportError:  # bootstrap.sh installs it
    jsonschema = None

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/schema/policy-1.schema.json").read_text())
LAB = {"lab_version": 1, "machines": [{"name": "desk", "gpus": ["RTX 3090"], "driver": "580"}, {"name": "robot", "gpus": ["12.0"], "driver": "580"}]}
WAIVER = {"code": "CAG101", "reason": "r", "owner": "o", "expires": "2099-01-31"}

VALID = [
    {"policy_version": 1},
    {"$schema": "policy-1.schema.json", "policy_version": 1, "strict": True, "allow_empty": False},
    {"policy_version": 1, "require": [{"sass": ["80", "90a"], "ptx": ["90"]}, {"runs_on": ["RTX 5090"], "drivers": ["580"], "env": {"A": ""},
                                                                             "jit": False, "scope": "any"}]},
    {"policy_version": 1, "require": [{"lab": "lab.json"}, {"lab": "lab.json", "machines": ["desk"], "scope": "any"}]},
    {"policy_version": 1, "forbid": {"debug": True, "ltoir_only": True, "archs": ["50"], "max_bytes": {"120": "40 MiB", "90a": 7, "total": "1.5 GiB"}}},
    {"policy_version": 1, "sections": [{"paths": ["*.so"], "required": True, "require": [{"sass": ["90"]}], "forbid": {"debug": True}}]},
    {"policy_version": 1, "waivers": [{**WAIVER, "paths": ["a.so"], "modules": ["1"], "kernels": ["k*"], "archs": ["90"]}]},
]
INVALID = [
    {}, [], {"policy_version": 2}, {"policy_version": 1, "requires": []}, {"policy_version": 1, "strict": 1}, {"policy_version": 1, "require": {}},
    {"policy_version": 1, "require": [{}]}, {"policy_version": 1, "require": [{"sas": ["90"]}]}, {"policy_version": 1, "require": [{"sass": "90"}]},
    {"policy_version": 1, "require": [{"sass": ["90"], "scope": "some"}]}, {"policy_version": 1, "require": [{"runs_on": ["9.0"], "jit": "no"}]},
    {"policy_version": 1, "require": [{"sass": ["90"], "machines": ["desk"]}]}, {"policy_version": 1, "require": [{"lab": ""}]},
    {"policy_version": 1, "forbid": {"max_bytes": {"total": "much"}}}, {"policy_version": 1, "forbid": {"max_bytes": {"large": 1}}},
    {"policy_version": 1, "sections": [{"require": []}]}, {"policy_version": 1, "sections": [{"paths": []}]},
    *({"policy_version": 1, "waivers": [{key: value for key, value in WAIVER.items() if key != left_out}]} for left_out in WAIVER),
    {"policy_version": 1, "waivers": [{**WAIVER, "code": "SASS"}]}, {"policy_version": 1, "waivers": [{**WAIVER, "expires": "soon"}]},
]


class PolicyTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "lab.json").write_text(json.dumps(LAB))
        self.policy = self.folder / "cuda-arch-guard.json"

    def guard(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, check=False, text=True, timeout=60)

    def check(self, policy):
        self.policy.write_text(policy if isinstance(policy, str) else json.dumps(policy))
        return self.guard("policy", "check")


class Schema(PolicyTest):
    @unittest.skipUnless(jsonschema, "no jsonschema: bootstrap.sh test installs it")
    def test_schema_and_reader_take_and_refuse_the_same(self):
        validator = jsonschema.Draft202012Validator(SCHEMA)
        for policies, valid in ((VALID, True), (INVALID, False)):
            for policy in policies:
                with self.subTest(policy=policy):
                    self.assertEqual(validator.is_valid(policy), valid)
                    done = self.check(policy)
                    self.assertEqual(done.returncode, 0 if valid else 2, done.stdout)

    def test_every_key_of_the_reader_is_in_the_schema_and_the_other_way_round(self):
        """The reader itself says its keys: an unknown one is answered with the list."""
        definitions = SCHEMA["$defs"]
        objects = [({"policy_version": 1, "?": 1}, SCHEMA), ({"policy_version": 1, "require": [{"sass": ["90"], "?": 1}]}, definitions["require"]["items"]),
                   ({"policy_version": 1, "forbid": {"?": 1}}, definitions["forbid"]),
                   ({"policy_version": 1, "sections": [{"paths": ["a"], "?": 1}]}, SCHEMA["properties"]["sections"]["items"]),
                   ({"policy_version": 1, "waivers": [{**WAIVER, "?": 1}]}, SCHEMA["properties"]["waivers"]["items"])]
        for policy, described in objects:
            with self.subTest(policy=policy):
                self.check(policy)
                message = json.loads(self.guard("policy", "check", "--format", "json").stdout)["errors"][0]["message"]
                self.assertEqual(set(re.search(r"one of the keys (.*), found `\?`", message)[1].split(", ")), set(described["properties"]))

    def test_what_policy_init_writes_is_valid(self):
        subprocess.run([MAKE_INPUTS, self.folder / "lib"], check=True)
        (self.folder / "lib/libcut.so").unlink()
        self.assertEqual(self.guard("policy", "init", "lib").returncode, 0)
        if jsonschema:
            jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(self.policy.read_text()))


class Check(PolicyTest):
    def test_errors_stand_at_line_and_column(self):
        done = self.check('{\n  "policy_version": 1,\n  "require": [{"lab": "lab.json", "machines": ["dsk"]},\n              {"lab": "none.json"}, {"sas": ["90"]}]\n}')
        self.assertEqual(done.returncode, 2)
        places = [(error["line"], error["column"]) for error in json.loads(self.guard("policy", "check", "--format", "json").stdout)["errors"]]
        self.assertEqual(places, [(3, 23), (4, 23), (4, 45)])
        self.assertIn("cuda-arch-guard.json:4:45: expected one of the keys sass", done.stdout)


class Gate(PolicyTest):
    """Small twins of what tests/real/policies.py does with published wheels."""

    def setUp(self):
        super().setUp()
        subprocess.run([MAKE_INPUTS, self.folder / "in"], check=True)
        self.wheel = self.folder / "demo-1.0-py3-none-linux_x86_64.whl"
        with zipfile.ZipFile(self.wheel, "w") as archive:
            for name, source in (("demo/libone.so", "libcomplete.so"), ("demo/libtwo.so", "libcomplete.so"), ("demo/libmany.so", "libmany.so")):
                archive.write(self.folder / "in" / source, name)
            archive.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")

    def findings(self, path):
        done = self.guard("verify", path, "--format", "json")
        return done.returncode, [finding for finding in json.loads(done.stdout)["findings"] if finding["level"] != "note"]

    def test_a_gpu_too_many_is_one_grouped_finding(self):
        require = {"sass": ["80", "90"]}
        self.policy.write_text(json.dumps({"policy_version": 1, "require": [require, {"runs_on": ["RTX 3090", "H100"]}], "forbid": {"debug": True}}))
        self.assertEqual(self.findings(self.wheel), (0, []))
        self.policy.write_text(json.dumps({"policy_version": 1, "require": [require, {"runs_on": ["RTX 3090", "H100", "7.0"]}]}))
        done = self.guard("verify", self.wheel)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall(r"^. CAG103 ", done.stdout, re.MULTILINE)), 1, done.stdout)

    def test_machines_of_a_lab(self):
        self.policy.write_text(json.dumps({"policy_version": 1, "require": [{"lab": "lab.json"}]}))
        done = self.guard("verify", "in/libmany.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--runs-on desk", done.stdout)
        self.policy.write_text(json.dumps({"policy_version": 1, "require": [{"lab": "lab.json", "machines": ["desk"]}]}))
        self.assertEqual(self.guard("verify", "in/libmany.so").returncode, 0)

    def test_a_baseline_sees_only_what_gets_lost(self):
        self.assertEqual(self.guard("policy", "init", self.wheel).returncode, 0)
        self.assertEqual(self.findings(self.wheel), (0, []))
        copy = self.folder / "copy"
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(copy)
        self.assertEqual(self.findings("copy"), (0, []), "an unpacked wheel is named as the wheel")
        (copy / "demo/libtwo.so").unlink()
        status, found = self.findings("copy")
        self.assertEqual((status, [(finding["code"], "libtwo.so" in finding["message"]) for finding in found]), (1, [("CAG109", True)]))
        (copy / "demo/libtwo.so").write_bytes((self.folder / "in/libgap.so").read_bytes())
        status, found = self.findings("copy")
        self.assertEqual(status, 1)
        self.assertEqual({(pathlib.Path(finding["path"]).name, finding["module"], finding["arch"]) for finding in found}, {("libtwo.so", 1, "90")})


if __name__ == "__main__":
    unittest.main()
