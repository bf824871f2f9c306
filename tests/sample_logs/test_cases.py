"""Every sample log against what its case.toml says must be found, and must not."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import FORMS, Form, Kind, Severity, Status
from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all
from spikedoc.rules.loader import load_catalog

ROOT = Path(__file__).parents[2] / "sample_logs"
CASES = {
    path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("*/case.toml")
}
NAMES = sorted(CASES)
FINDS = [
    pytest.param(name, find, id=f"{name}-{find['step']}")
    for name in NAMES
    for find in CASES[name].get("finds", ())
]
RUN_LIMIT = 300_000  # bytes of one run folder
FOLDER_LIMIT = 2_500_000


@cache
def report_on(name: str) -> Report:
    (report,) = analyze_all(ROOT / name / "run")
    return report


def anomalies(name: str) -> list[Anomaly]:
    return [finding.anomaly for finding in report_on(name).findings]


def one_or_many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def described(found: list[Anomaly]) -> str:
    return "; ".join(
        f"{a.label} on {a.signal} at {a.start_step}..{a.end_step} ({a.severity})" for a in found
    )


def starts_where(anomaly: Anomaly, find: dict[str, Any]) -> bool:
    """Whether the anomaly begins at the step, or overlaps step..until where the onset is vague."""
    if "until" in find:
        return anomaly.start_step <= find["until"] and anomaly.end_step >= find["step"]
    return abs(anomaly.start_step - find["step"]) <= find["tolerance"]


def is_found(anomaly: Anomaly, find: dict[str, Any]) -> bool:
    form = anomaly.form.value if anomaly.form else None
    return (
        anomaly.kind.value in one_or_many(find["kind"])
        and find.get("form", form) == form
        and anomaly.signal in one_or_many(find["signal"])
        and starts_where(anomaly, find)
    )


def causes_of(name: str) -> list[str]:
    """Causes in order of rank; a cause named by two rules stands twice."""
    return [cause.rule.cause for cause in sorted(report_on(name).causes, key=lambda c: c.rank)]


@pytest.mark.parametrize(("name", "find"), FINDS)
def test_what_happened_is_found(name: str, find: dict[str, Any]) -> None:
    found = anomalies(name)
    assert any(is_found(anomaly, find) for anomaly in found), described(found)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_is_alarmed(name: str) -> None:
    absent = CASES[name]["absent"]
    alarms = [a for a in anomalies(name) if a.severity is not Severity.INFO]
    wrong = [a for a in alarms if "*" in absent or a.kind.value in absent]
    assert not wrong, described(wrong)


@pytest.mark.parametrize("name", [n for n in NAMES if "first" in CASES[n]])
def test_first_cause_is_acceptable(name: str) -> None:
    causes = causes_of(name)
    assert causes, "no cause at all"
    assert causes[0] in CASES[name]["first"], causes[:5]


@pytest.mark.parametrize("name", [n for n in NAMES if "within" in CASES[n]])
def test_true_cause_ranks_high(name: str) -> None:
    causes = causes_of(name)
    for cause, rank in CASES[name]["within"].items():
        assert cause in causes[:rank], (cause, causes[:8])


@pytest.mark.parametrize("name", NAMES)
def test_status(name: str) -> None:
    status = report_on(name).status
    assert status.value in one_or_many(CASES[name]["status"]), described(anomalies(name))


@pytest.mark.parametrize("name", NAMES)
def test_case_file_is_well_formed(name: str) -> None:
    case = CASES[name]
    causes = {rule.cause for rule in load_catalog().rules}
    assert set(case.get("first", [])) | set(case.get("within", {})) <= causes
    assert set(case["absent"]) - {"*"} <= set(Kind)
    assert set(one_or_many(case["status"])) <= set(Status)
    assert case["healthy"] == (case["absent"] == ["*"]) == ("finds" not in case)
    for find in case.get("finds", ()):
        kinds = [Kind(kind) for kind in one_or_many(find["kind"])]
        assert "form" not in find or Form(find["form"]) in FORMS[kinds[0]]
        assert ("tolerance" in find) != ("until" in find)
    for text in (case["title"], case["story"]):
        assert text["en"].isascii()
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text["zh"])
    assert f"--case {name}," in case["origin"]


def test_every_case_of_the_makers_is_here() -> None:
    makers = "".join(path.read_text("utf-8") for path in (ROOT / "make").glob("*.py"))
    folders = {path.parent.name for path in ROOT.glob("*/run")}
    assert folders == set(NAMES)
    assert all(f'"{name}": {name},' in makers for name in NAMES)


def test_table_in_the_readme_is_current() -> None:
    script = ROOT / "make" / "table.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_sample_logs_stay_small() -> None:
    sizes = {
        name: sum(p.stat().st_size for p in (ROOT / name / "run").rglob("*") if p.is_file())
        for name in NAMES
    }
    assert max(sizes.values()) < RUN_LIMIT, sizes
    assert sum(sizes.values()) < FOLDER_LIMIT, sizes
