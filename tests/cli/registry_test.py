#!/usr/bin/env python3
"""The diagnostic codes: what was published keeps its meaning, and every place that speaks of codes says the same."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
ALWAYS_TOLD = {"CAG408", "CAG504", "CAG505"}  # their examples need no file
PUBLISHED = json.loads((SOURCE / "tests/data/published_codes.json").read_text())


def output(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class Registry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules = {rule["code"]: rule for rule in json.loads(output("rule", "--format", "json"))["rules"]}

    def test_published_codes_keep_their_meaning(self):
        self.assertEqual({code: rule["title"] for code, rule in self.rules.items()}, PUBLISHED["codes"])

    def test_retired_codes_stay_reserved_and_lead_to_their_successor(self):
        for code in PUBLISHED["retired"]:
            self.assertNotIn(code, self.rules)
            done = subprocess.run([PROGRAM, "rule", code], capture_output=True, check=False, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"{code}.*which CAG[0-9]+ says today")

    def test_the_list_stays_short_enough_to_be_known(self):
        self.assertLessEqual(len(self.rules), 35)

    def test_sources_and_documents_name_only_codes_of_the_registry(self):
        for folder in ("src", "docs", "cmake", "example-projects"):
            for file in (SOURCE / folder).rglob("*"):
                if file.suffix in {".cpp", ".hpp", ".json", ".in", ".md", ".cmake", ".txt", ".html"} and file.name != "retired_rules.json":
                    named = set(re.findall(r"CAG[1-9][0-9]{2}", file.read_text(errors="replace"))) - {"CAG400"}
                    self.assertLessEqual(named, set(self.rules), file)

    def test_the_page_is_what_the_program_writes(self):
        page = (SOURCE / "docs/codes.md").read_text()
        self.assertEqual(page, output("rule", "--format", "markdown"), "write it: cuda-arch-guard rule --format markdown > docs/codes.md")

    def test_examples_are_what_the_program_says(self):
        told = set()
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MAKE_INPUTS, folder], check=True)
            pathlib.Path(folder, "scale.ptx").write_text(".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry scale() { ret; }\n")
            for code, rule in self.rules.items():
                lines = rule["example"].splitlines()
                for line, following in zip(lines, [*lines[1:], ""]):
                    self.assertIn(code, re.findall(r"CAG[0-9]{3}", line) or [code], line)
                    command = shlex.split(line[2:]) if line.startswith("$ cuda-arch-guard ") else []
                    if not command:
                        continue
                    done = subprocess.run([PROGRAM, *command[1:]], cwd=folder, capture_output=True, check=False, text=True,
                                          env={**os.environ, "COLUMNS": "1000"})
                    if code != "CAG505":
                        self.assertNotIn("CAG505", done.stderr, f"{line}: whatever its file is, the command is understood")
                    if following and (code in ALWAYS_TOLD or any(pathlib.Path(folder, word).is_file() for word in command)):
                        self.assertIn(following, done.stdout + done.stderr, line)
                        told.add(code)
        self.assertGreaterEqual(told, ALWAYS_TOLD | {f"CAG{n}" for n in (101, 102, 103, 104, 105, 106, 301, 302, 305, 401)})

    def test_code_scanning_gets_the_same_rules(self):
        done = subprocess.run([PROGRAM, "verify", __file__, "--require-sass", "90", "--format", "sarif"], capture_output=True, check=False, text=True)
        rules = json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]
        self.assertEqual([(rule["id"], rule["shortDescription"]["text"]) for rule in rules], [(code, rule["title"]) for code, rule in self.rules.items()])
        for rule in rules:
            self.assertIn(self.rules[rule["id"]]["how"], rule["help"]["text"])

    def test_completion_offers_them(self):
        words = subprocess.run(["bash", "-c", f"source <('{PROGRAM}' completion bash); COMP_WORDS=(cuda-arch-guard rule CAG10); COMP_CWORD=2; "
                                "_cuda_arch_guard; echo ${COMPREPLY[@]}"], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(words, [code for code in self.rules if code.startswith("CAG10")])


if __name__ == "__main__":
    unittest.main()
