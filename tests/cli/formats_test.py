#!/usr/bin/env python3
"""The reports as their readers take them: against the published schemas of SARIF and JUnit, ours of the JSON, and the grammar of workflow commands."""
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree
import zipfile

try:
    import jsonschema
    import xmlschema
except ImportError:  # bootstrap.sh installs them
    jsonschema = xmlschema = None

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = SOURCE / "tests/data/schemas"
ENDINGS = {"json": "json", "sarif": "sarif", "junit": "xml", "github": "txt", "markdown": "md", "csv": "csv", "html": "html", "text": "text"}
HOSTILE = b"lib\xff,%0A:a\n=\"<b>.so"  # not UTF-8, and everything that some format gives a meaning to
POLICY = {"policy_version": 1, "require": [{"sass": ["80", "90"]}],
          "waivers": [{"code": "CAG104", "kernels": ["*only80*"], "reason": "old, 100% known: see wiki", "owner": "core", "expires": "2099-12-31"},
                      {"code": "CAG101", "paths": ["libcomplete.so"], "reason": "gone", "owner": "core", "expires": "2020-01-31"}]}


class Reports:
    """What one scan wrote, format by format."""

    def __init__(self, folder, *arguments):
        files = {name: pathlib.Path(folder, f"report.{ending}") for name, ending in ENDINGS.items()}
        reports = [word for name, file in files.items() for word in ("--report", f"{name}={file}")]
        done = subprocess.run([PROGRAM, "verify", *arguments, *reports, "--quiet"], cwd=folder, capture_output=True, check=False, timeout=60)
        self.status = done.returncode
        self.bytes = {name: file.read_bytes() for name, file in files.items()}
        self.text = {name: content.decode("utf-8") for name, content in self.bytes.items()}  # all of them are UTF-8, whatever names are

    def sarif(self):
        return json.loads(self.text["sarif"])["runs"][0]


def unescaped(text, in_property):
    """As the runner of GitHub reads it back."""
    for code, character in (("%3A", ":"), ("%2C", ",")) if in_property else ():
        text = text.replace(code, character)
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def annotations(text):
    """The workflow commands of a log: `::command key=value,key=value::message`; refuses what the runner would read otherwise."""
    found = []
    for line in text.split("\n"):
        if not line.startswith("::"):
            continue
        match = re.fullmatch(r"::(error|warning|notice)(?: ([^:]*))?::(.*)", line)
        assert match, line
        properties = {}
        for item in match[2].split(",") if match[2] else ():
            key, value = item.split("=", 1)
            assert key in {"title", "file", "line"} and key not in properties, line
            assert re.fullmatch(r"(?:[^%:,\r\n]|%25|%0D|%0A|%3A|%2C)*", value), line
            properties[key] = unescaped(value, True)
        assert re.fullmatch(r"(?:[^%\r\n]|%25|%0D|%0A)*", match[3]), line
        found.append((match[1], properties, unescaped(match[3], False)))
    return found


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        subprocess.run([MAKE_INPUTS, folder], check=True)
        gap = (folder / "libgap.so").read_bytes()
        (folder / "strange").mkdir()
        with open(os.path.join(os.fsencode(folder), b"strange", HOSTILE), "wb") as file:
            file.write(gap)
        with zipfile.ZipFile(folder / "demo-1.0-py3-none-linux_x86_64.whl", "w") as wheel:
            for i in range(12):
                wheel.writestr(f"demo/lib{i}, v2.so", gap if i % 3 == 0 else (folder / "libcomplete.so").read_bytes())
        (folder / "policy.json").write_text(json.dumps(POLICY))
        sass = ("--require-sass", "80,90")
        cls.folder = folder
        cls.results = {"clean": Reports(folder, "libcomplete.so", *sass), "one missing": Reports(folder, "libgap.so", *sass),
                       "waived": Reports(folder, "libpartial.so", "libcomplete.so", "--policy", "policy.json"),
                       "damaged": Reports(folder, "libcut.so", *sass), "package": Reports(folder, "demo-1.0-py3-none-linux_x86_64.whl", *sass),
                       "strange names": Reports(folder, "strange", *sass)}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def each(self, name):
        for reports in self.results.values():
            yield reports.text[name], reports

    def test_the_results_are_what_they_are_meant_to_be(self):
        self.assertEqual({name: reports.status for name, reports in self.results.items()},
                         {"clean": 0, "one missing": 1, "waived": 0, "damaged": 2, "package": 1, "strange names": 1})

    @unittest.skipUnless(jsonschema, "no jsonschema: bootstrap.sh test installs it")
    def test_sarif_is_valid(self):
        schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())
        for text, _ in self.each("sarif"):
            jsonschema.validate(json.loads(text), schema, cls=jsonschema.Draft4Validator)

    @unittest.skipUnless(jsonschema, "no jsonschema: bootstrap.sh test installs it")
    def test_json_is_valid(self):
        schema = json.loads((SOURCE / "docs/schema/result-1.schema.json").read_text())
        for text, _ in self.each("json"):
            jsonschema.validate(json.loads(text), schema, cls=jsonschema.Draft202012Validator)

    @unittest.skipUnless(xmlschema, "no xmlschema: bootstrap.sh test installs it")
    def test_junit_is_valid(self):
        schema = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
        for text, _ in self.each("junit"):
            schema.validate(xml.etree.ElementTree.fromstring(text))

    def test_junit_counts_its_cases(self):
        for text, _ in self.each("junit"):
            for suite in xml.etree.ElementTree.fromstring(text):
                for attribute, element in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"),
                                           ("skipped", "testcase/skipped")):
                    self.assertEqual(int(suite.get(attribute)), len(suite.findall(element)), attribute)

    def test_annotations_are_workflow_commands(self):
        for text, reports in self.each("github"):
            found = annotations(text)
            codes = {finding["code"] for finding in json.loads(reports.text["json"])["findings"]}
            self.assertEqual({properties["title"] for _, properties, _ in found}, codes)
        self.assertIn("lib\\xff,%0A:a", annotations(self.results["strange names"].text["github"])[0][1]["file"])
        waived = [message for level, _, message in annotations(self.results["waived"].text["github"]) if level == "notice"]
        self.assertTrue(any("old, 100% known: see wiki" in message for message in waived), waived)

    def test_rows_of_the_csv_have_one_width_and_begin_no_formula(self):
        for text, _ in self.each("csv"):
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
            self.assertEqual({len(row) for row in rows}, {12})
            self.assertFalse([cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@")])

    def test_the_page_closes_what_it_opens_and_runs_no_name(self):
        void = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
        optional = {"html", "head", "body", "p", "li", "dt", "dd", "thead", "tbody", "tr", "td", "th", "option"}  # may end by themselves

        class Balance(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.open, self.seen = [], set()

            def handle_starttag(self, tag, attrs):
                self.seen.add(tag)
                if tag not in void:
                    self.open.append(tag)

            def handle_endtag(self, tag):
                while self.open and self.open[-1] != tag and self.open[-1] in optional:
                    self.open.pop()
                assert self.open and self.open.pop() == tag, tag

        for text, _ in self.each("html"):
            page = Balance()
            page.feed(text)
            self.assertLessEqual(set(page.open), optional)
            self.assertNotIn("b", page.seen, "no markup from names")

    def test_sarif_names_the_file_as_its_bytes_are(self):
        uri = self.results["strange names"].sarif()["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertRegex(uri, r"^[A-Za-z0-9%/._~-]+$")
        self.assertEqual(urllib.parse.unquote_to_bytes(uri), b"strange/" + HOSTILE)

    def test_sarif_tells_what_is_waived_apart(self):
        results = self.results["waived"].sarif()["results"]
        waived = [result for result in results if "suppressions" in result]
        self.assertEqual([result["ruleId"] for result in waived], ["CAG104"])
        self.assertIn("old, 100% known: see wiki", waived[0]["suppressions"][0]["justification"])
        self.assertIn("CAG509", {result["ruleId"] for result in results}, "the other waiver has expired")

    def test_sarif_results_point_to_their_rule_and_have_a_fingerprint_each(self):
        for text, _ in self.each("sarif"):
            run = json.loads(text)["runs"][0]
            for result in run["results"]:
                self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
                self.assertGreaterEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1)
            prints = [result["partialFingerprints"]["cudaArchGuardFinding/v1"] for result in run["results"]]
            self.assertEqual(len(prints), len(set(prints)))

    def test_the_next_run_gives_the_same_reports(self):
        again = Reports(self.folder, "demo-1.0-py3-none-linux_x86_64.whl", "--require-sass", "80,90")
        self.assertEqual(again.bytes, self.results["package"].bytes)


if __name__ == "__main__":
    unittest.main()
