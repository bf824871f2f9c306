from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import report_factory
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.errors import ReportError
from spikedoc.model.charts import Charts, Curve, Event, EventKind, FoldedCurve, Lane, Stretch
from spikedoc.model.codec import decode, dumps, encode, loads
from spikedoc.model.metric import Metric
from spikedoc.model.report import Plot, Report, RunFacts, Signal
from spikedoc.model.run import Checkpoint, Source
from spikedoc.text import Text

SCHEMA = json.loads(
    resources.files("spikedoc.model").joinpath("report.schema.json").read_text(encoding="utf-8")
)
NONFINITE_WORDS = {"nan", "inf", "-inf"}

words = st.text(max_size=12).filter(lambda text: text not in NONFINITE_WORDS)
floats = st.floats()
integers = st.integers(-(10**12), 10**12)


def many(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


st.register_type_strategy(Text, st.builds(Text, words, words))
st.register_type_strategy(Plot, st.lists(st.tuples(st.floats(-1e6, 1e6), floats), max_size=5).map(
    lambda points: Plot("s", tuple(p[0] for p in points), tuple(p[1] for p in points), log=True)
))  # fmt: skip
curves = st.lists(st.tuples(integers, floats), max_size=5).map(
    lambda points: Curve(
        *("s", Metric.LOSS, "tag", 9, tuple(p[0] for p in points), tuple(p[1] for p in points)),
        nonfinite=(Stretch(1, 2, 3, 4),),
        log=False,
    )
)
folds = (
    st.lists(floats, max_size=4)
    .map(tuple)
    .map(
        lambda line: FoldedCurve(
            "F1", "loss", 7.5, 3, line, line, line, line, is_ratio=True, log=False
        )
    )
)
reports = st.builds(
    Report,
    run=st.builds(
        RunFacts,
        sources=many(st.builds(Source, size=integers)),
        signals=st.dictionaries(words, st.from_type(Signal), max_size=3),
        config=st.dictionaries(words, st.booleans() | floats | integers | words, max_size=3),
        checkpoints=many(st.from_type(Checkpoint)),
    ),
    schema=st.just("spikedoc-report/1"),
    charts=st.none() | st.builds(Charts, many(curves), many(st.from_type(Lane)), many(folds)),
)


@settings(max_examples=60, deadline=None)
@given(reports)
def test_every_report_survives_json(report: Report) -> None:
    # repr, because NaN is not equal to itself
    assert repr(loads(dumps(report))) == repr(report)


@pytest.mark.parametrize("make", report_factory.ALL.values(), ids=report_factory.ALL)
def test_made_reports_survive_and_fit_the_schema(make: Any) -> None:
    report = make()
    text = dumps(report, indent=2)
    jsonschema.validate(json.loads(text), SCHEMA)
    assert repr(loads(text)) == repr(report)


def test_schema_itself_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_json_is_strict_and_names_nonfinite_numbers() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"bare {word}")

    data = json.loads(dumps(report_factory.failing()), parse_constant=refuse)
    assert data["findings"][0]["measures"]["peak"] == "nan"
    assert data["findings"][1]["measures"]["peak"] == "inf"
    assert data["plot"]["values"][-1] == "nan"


def test_keys_of_the_contract() -> None:
    data = encode(report_factory.failing())
    assert list(data)[:12] == [
        "schema", "spikedoc", "run", "status", "headline", "findings", "causes", "checklist",
        "rollback", "gaps", "limits", "notes",
    ]  # fmt: skip
    assert data["run"]["sources"][1]["bytes"] == 812
    assert data["run"]["segments"] == [
        {"first_step": 0, "last_step": 8000},
        {"first_step": 8010, "last_step": 12800},
    ]
    cause = data["causes"][0]
    assert (cause["rule"], cause["cause"], cause["domain"]) == (
        "SD401",
        "fp16-overflow",
        "numerics",
    )
    assert [e["verdict"] for e in cause["evidence"]] == [
        "supports", "supports", "supports", "refutes", "unknown",
    ]  # fmt: skip
    assert data["rollback"]["checkpoint"] == "checkpoints/step_12000.pt"


def test_notes_are_saved_in_both_languages() -> None:
    base = report_factory.failing()
    data = encode(base)
    assert data["notes"] == ["step 8010 was written twice; the later value was kept"]
    assert data["notes_zh"] == ["第 8010 步写了两次，保留后写的值"]
    assert data["run"]["sources"][0]["notes_zh"] == ["跳过 2 条损坏的记录"]
    assert decode(data).notes == base.notes
    assert decode(data).run.sources == base.run.sources


def test_notes_of_older_reports_are_in_english_alone() -> None:
    data = encode(report_factory.failing())
    del data["notes_zh"], data["run"]["sources"][0]["notes_zh"]
    report = decode(data)
    (note,) = report.notes
    assert note.zh == note.en == "step 8010 was written twice; the later value was kept"
    assert report.run.sources[0].notes[0].zh == "2 damaged records skipped"


def test_numpy_numbers_become_plain_ones() -> None:
    base = report_factory.failing()
    finding = base.findings[0]
    anomaly = replace(
        finding.anomaly,
        start_step=np.int64(5),
        measures={"x": np.float64("-inf"), "n": np.int32(3)},
    )
    run = replace(base.run, config={"flag": np.bool_(True), "n": np.int64(2)})
    report = replace(base, run=run, findings=(replace(finding, anomaly=anomaly),))
    data = json.loads(dumps(report))
    assert data["findings"][0]["start_step"] == 5
    assert data["findings"][0]["measures"] == {"x": "-inf", "n": 3.0}
    assert data["run"]["config"] == {"flag": True, "n": 2}


def test_what_cannot_be_json_is_refused() -> None:
    base = report_factory.unknown()
    report = replace(base, run=replace(base.run, config={"path": Path("/x")}))  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="Path cannot be part of a report"):
        dumps(report)


def test_unknown_keys_are_ignored_and_added_ones_may_be_missing() -> None:
    data = encode(report_factory.failing())
    data["later"] = {"x": 1}
    for cause in data["causes"]:
        for key in ("title", "why", "benign_when", "definition"):
            del cause[key]
        for evidence in cause["evidence"]:
            del evidence["missing"], evidence["missing_config"]
    for finding in data["findings"]:
        del finding["detections"], finding["title"]
    del data["plot"]
    report = decode(data)
    assert report.plot is None
    assert report.causes[0].rule.title == Text("fp16-overflow", "fp16-overflow")


def _set(path: str, value: object) -> dict[str, Any]:
    data = json.loads(dumps(report_factory.failing()))
    *parents, last = path.split(".")
    target: Any = data
    for key in parents:
        target = target[int(key) if key.isdigit() else key]
    if value is None:
        del target[last]
    else:
        target[int(last) if last.isdigit() else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", "spikedoc-report/9", "schema"),
        ("status", "bad", "status: 'bad'"),
        ("headline", {"en": "x"}, "headline.zh: expected a string, found nothing"),
        ("run", [], "run: expected an object, found a list"),
        ("run.sources.0.bytes", "12", "run.sources[0].bytes: expected an integer, found a string"),
        ("run.signals.loss.stride", True, "run.signals.loss.stride: expected a number"),
        ("run.config", {"a": [1]}, "run.config.a"),
        ("findings.0.kind", "unheard", "findings[0].kind: 'unheard'"),
        ("findings.1.start_step", 1.5, "findings[1].start_step: expected an integer"),
        ("findings.0.measures", {"x": "many"}, "findings[0].measures.x"),
        ("causes.0.evidence.0.verdict", None, "causes[0].evidence[0].verdict"),
        ("causes.0.evidence.0.missing", ["unheard"], "'unheard' is not a known series"),
        ("causes.0.evidence.0.values", {"a": True}, "causes[0].evidence[0].values.a"),
        ("causes.0.definition.priors", {"a": "inf"}, "causes[0].definition.priors.a"),
        ("causes.0.score", 10**400, "causes[0].score: expected a number"),
        ("checklist.0.check", 3, "checklist[0].check"),
        ("notes", [1], "notes: expected a list of strings"),
        ("notes_zh", ["a", "b"], "notes_zh: not as many as notes"),
        ("plot.steps", [1.0], "plot: steps and values differ in length"),
        ("plot.values.0", "x", "plot.values: expected a list of numbers"),
        ("plot.steps.0", "nan", "plot.steps: expected finite numbers"),
        ("charts", {"curves": []}, "charts.lanes: expected a list, found nothing"),
        ("rollback.step", "x", "rollback.step"),
        ("gaps", {}, "gaps: expected a list, found an object"),
    ],
)
def test_malformed_reports_are_refused_with_the_key(path: str, value: object, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        decode(_set(path, value))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"a": NaN}', "[" * 100_000, "1" * 5000, "[1]"])
def test_text_that_is_no_report(text: str) -> None:
    with pytest.raises(ReportError):
        loads(text)


@settings(max_examples=200, deadline=None)
@given(st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
), st.randoms(use_true_random=False))  # fmt: skip
def test_any_part_may_be_anything(part: object, random: Any) -> None:
    """A report with one part replaced is decoded, or refused with ReportError, never worse."""
    data: Any = json.loads(dumps(report_factory.failing()))
    target = data
    while True:
        keys = list(target) if isinstance(target, dict) else list(range(len(target)))
        key = random.choice(keys)
        if not isinstance(target[key], dict | list) or not target[key] or random.random() < 0.3:
            target[key] = part
            break
        target = target[key]
    try:
        report = decode(data)
    except ReportError:
        return
    assert isinstance(report, Report)
    assert math.isfinite(len(dumps(report)))


def test_controls_are_escaped_and_come_back() -> None:
    report = report_factory.failing()
    named = replace(report, run=replace(report.run, name="a\x7fb\x9bc"))
    text = dumps(named)
    assert not set(text) & {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))}
    assert loads(text).run.name == "a\x7fb\x9bc"


def with_charts() -> Report:
    curve = Curve(
        "loss", Metric.LOSS, "t", 4, (1, 2), (0.5, math.inf), (Stretch(3, 4, 2, 2),), True
    )
    lane = Lane(EventKind.MESSAGE, 1, (Event(3, Text("a\x9bb", "乙")),))
    line = (0.0, 0.5)
    fold = FoldedCurve("F1", "loss", 50.0, 3, line, line, line, line, is_ratio=True, log=False)
    return replace(report_factory.failing(), charts=Charts((curve,), (lane,), (fold,)))


@pytest.mark.parametrize("indent", [None, 2])
def test_what_a_page_draws_is_saved_too(indent: int | None) -> None:
    report = with_charts()
    text = dumps(report, indent=indent)
    jsonschema.validate(json.loads(text), SCHEMA)
    assert repr(loads(text)) == repr(report)
    assert json.loads(text) == json.loads(dumps(report))
    assert "\x9b" not in text


def test_a_curve_takes_one_line_in_a_file_to_compare() -> None:
    text = dumps(with_charts(), indent=2)
    assert '\n        "steps": [1,2],\n' in text
    assert '\n        "values": [0.5,"inf"],\n' in text
    assert text.endswith("\n  }\n}")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("steps", [1.5, 2], "charts.curves[0].steps: expected a list of integers"),
        ("steps", [1], "charts.curves[0]: steps and values differ in length"),
        ("metric", "unheard", "charts.curves[0].metric: 'unheard'"),
        ("nonfinite", [[1, 2]], "charts.curves[0].nonfinite[0]: expected an object"),
    ],
)
def test_a_malformed_curve_is_named(key: str, value: object, message: str) -> None:
    data = json.loads(dumps(with_charts()))
    data["charts"]["curves"][0][key] = value
    with pytest.raises(ReportError, match=re.escape(message)):
        decode(data)


def test_a_malformed_fold_is_named() -> None:
    data = json.loads(dumps(with_charts()))
    data["charts"]["folds"][0]["low"] = [1.0]
    with pytest.raises(ReportError, match=r"charts\.folds\[0\]: phases, low"):
        decode(data)
