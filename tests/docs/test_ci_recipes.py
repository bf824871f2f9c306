"""The recipes of `docs/how-to/ci-gate.md`, run for real: what the page says is what happens.

The scripts are taken out of the page and run by the shell that would run them, on a healthy log and
on a lost one, with the code of this checkout behind the name `spikedoc`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/ci-gate.md").read_text("utf-8")
SARIF = json.loads((ROOT / "tests/gate/formats/sarif.schema.json").read_text("utf-8"))
LOGS = {"good": "healthy_cosine_long", "bad": "fp16_overflow"}
Done = subprocess.CompletedProcess[str]
Shell = Callable[..., Done]

# What Jenkins' junit step and the xunit plug-in take: attributes and children per element.
XUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname", "time"},
        {"failure", "error", "skipped", "system-out", "system-err"},
    ),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}


def block(heading: str, language: str, number: int = 0) -> str:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[number]


@pytest.fixture(params=sorted(LOGS))
def log(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Lay a log at runs/nightly; return which one it is."""
    shutil.copytree(ROOT / "sample_logs" / LOGS[request.param], tmp_path / "runs/nightly")
    return str(request.param)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run a script as a CI system does, with `spikedoc` and a `pip` that has nothing to do."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pip").write_text("#!/bin/sh\n")
    (tools / "spikedoc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spikedoc "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    summary = str(tmp_path / "summary.md")
    env = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    env |= {"GITHUB_STEP_SUMMARY": summary, "LANG": "C.UTF-8"}

    def run(script: str, *command: str) -> Done:
        return subprocess.run(
            [*(command or ("bash", "-e", "-o", "pipefail", "-c")), script],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    return run


def check_xunit(file: Path) -> None:
    """Fail at an element or attribute that Jenkins does not know, and at counts that are wrong."""
    root = ET.fromstring(file.read_bytes())
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = XUNIT[element.tag]
        assert set(element.attrib) <= attributes, element.tag
        assert {child.tag for child in element} <= children, element.tag
    for suite in root:
        assert int(suite.get("tests", -1)) == len(suite.findall("testcase"))
        assert int(suite.get("failures", -1)) == len(suite.findall("testcase/failure"))
        names = [(case.get("classname"), case.get("name")) for case in suite]
        assert len(set(names)) == len(names)


def check_annotations(out: str) -> None:
    """Fail at a command that GitHub would not take, or would drop."""
    lines = out.splitlines()
    for level in ("error", "warning", "notice"):
        assert sum(line.startswith(f"::{level} ") for line in lines) <= 10
    for line in lines:
        found = re.fullmatch(r"::(?:error|warning|notice) ([^:]*)::([^\r\n]*)", line)
        assert found, line
        for pair in found.group(1).split(","):
            assert re.fullmatch(r"(?:file|title|line)=[^,:\r\n]+", pair), pair
        assert not re.search(r"%(?!25|0D|0A|3A|2C)", line)


def test_github(shell: Shell, log: str, tmp_path: Path) -> None:
    steps = yaml.safe_load(block("GitHub Actions", "yaml", 1))["jobs"]["check"]["steps"]
    done = shell(next(step["run"] for step in steps if "run" in step))
    assert done.returncode == (log == "bad"), done.stderr
    check_annotations(done.stdout)
    assert ("::error " in done.stdout) == (log == "bad")
    upload = next(step for step in steps if "upload-sarif" in step.get("uses", ""))
    assert upload["if"] == "always()"
    content = json.loads((tmp_path / upload["with"]["sarif_file"]).read_text("utf-8"))
    jsonschema.Draft202012Validator(SARIF).validate(content)
    assert (tmp_path / "summary.md").read_text("utf-8").startswith("### spikedoc")


def test_the_inputs_of_the_action_exist() -> None:
    (step,) = yaml.safe_load(block("GitHub Actions", "yaml"))
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert set(step["with"]) <= set(inputs)


def test_gitlab(shell: Shell, log: str, tmp_path: Path) -> None:
    job = yaml.safe_load(block("GitLab CI", "yaml"))["check"]
    done = shell("\n".join(job["script"]))
    assert done.returncode == (log == "bad"), done.stderr
    assert job["artifacts"]["when"] == "always"
    reports = job["artifacts"]["reports"]
    assert reports["junit"].endswith(".xml")
    check_xunit(tmp_path / reports["junit"])
    issues = json.loads((tmp_path / reports["codequality"]).read_text("utf-8"))
    assert bool([i for i in issues if i["severity"] in ("major", "critical")]) == (log == "bad")
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    for issue in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= set(issue)
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert (tmp_path / issue["location"]["path"]).is_file()


def test_jenkins(shell: Shell, log: str, tmp_path: Path) -> None:
    pipeline = block("Jenkins", "groovy")
    assert pipeline.count("{") == pipeline.count("}")
    (script,) = re.findall(r"\bsh '([^']*)'", pipeline)
    (published,) = re.findall(r"\bjunit '([^']*)'", pipeline)
    assert re.search(r"post \{\s*always \{\s*junit", pipeline)
    done = shell(script, "sh", "-xe", "-c")
    assert done.returncode == (log == "bad"), done.stderr
    check_xunit(tmp_path / published)


def test_cron(shell: Shell, log: str, tmp_path: Path) -> None:
    table = block("cron", "cron").splitlines()
    line = next(line for line in table if re.match(r"[\d*]", line))
    command = re.sub(r"^(?:[\d*/,-]+ +){5}", "", line).strip()
    assert "%" not in command  # a line end to cron
    done = shell(command.replace("/data/", f"{tmp_path}/"), "sh", "-c")
    assert done.returncode == 0
    assert done.stderr == ""
    assert ("FAIL nonfinite" in done.stdout) == (log == "bad")
    assert (done.stdout == "") == (log == "good")


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    from spikedoc.gate.settings import load_settings

    (tmp_path / "spikedoc.toml").write_text(block("What fails", "toml"), encoding="utf-8")
    found = load_settings(tmp_path / "spikedoc.toml")
    assert found.reference == tmp_path / "ci/reference.json"
    assert len(found.expectations) == 10


def test_the_outputs_of_the_page_are_all_there_are() -> None:
    from spikedoc.cli.outputs import formats

    section = PAGE.partition("\n## Several outputs in one go\n")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(formats())
