"""Every number of the diagnosis – shapes, labels, answers – on a zoo of runs, as it was when kept.

Reports show a part of them, rounded. A change here is no fault by itself: look at the difference,
then keep it with --update-golden.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zoo

import spikedoc.evidence
from spikedoc.assembly.onset import with_first_sign
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_runs
from spikedoc.model.anomaly import Anomaly, Detection
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.run import Run
from spikedoc.pipeline import detect
from spikedoc.plugins import discover
from spikedoc.signal.memo import remembering

HERE = Path(__file__).parent
LOGS = sorted(p.parent.name for p in (HERE.parent / "sample_logs").glob("*/case.toml"))
# Ten times what sums in another order change, far less than what a report shows.
CLOSE = 1e-6
PROBES = [probe for family in discover(spikedoc.evidence, "PROBES").values() for probe in family]


def alone(name: str) -> Run:
    return zoo.EVENTS[name]().run


def beside(name: str) -> Run:
    return zoo.beside_all(alone(name))


def measured(run: Run) -> dict[str, Any]:
    with remembering(), np.errstate(all="ignore"):
        detections = detect(run)
        anomalies = classify(run, detections)
        signed = tuple(with_first_sign(run, one, anomalies) for one in anomalies)
        answers = {
            f"{probe.name} of {at}": answer(found)
            for probe in PROBES
            for at, one in enumerate(signed)
            if (found := probe.answer(Case(run, one, signed))).verdict is not Verdict.UNKNOWN
        }
    return {
        "detections": [shape_of(one) for one in detections],
        "anomalies": [label_of(one) for one in anomalies],
        "answers": answers,
    }


def shape_of(one: Detection) -> list[Any]:
    steps = [one.first_step, one.peak_step, one.last_step]
    return [one.detector, one.shape.value, one.signal, *steps, plain(one.measures)]


def label_of(one: Anomaly) -> list[Any]:
    steps = [one.start_step, one.peak_step, one.end_step]
    sure = [one.severity.value, plain_one(one.confidence)]
    return [one.label, *sure, one.signal, *steps, plain(one.measures)]


def answer(found: Evidence) -> list[Any]:
    return [found.verdict.value, plain(found.values)]


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain_one(value) for name, value in sorted(values.items())}


def plain_one(value: Any) -> Any:
    """Numbers to nine digits; what JSON has no word for as text."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    return value


def compare(name: str, runs: Iterable[Run], request: pytest.FixtureRequest) -> None:
    found = json.loads(json.dumps([measured(run) for run in runs]))
    file = HERE / "golden" / "measures" / f"{name.replace(' ', '-')}.json"
    if request.config.getoption("--update-golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(shown(found), "utf-8")
        return
    same(found, json.loads(file.read_text("utf-8")), file.stem)


def shown(found: list[dict[str, Any]]) -> str:
    """JSON with a line for each shape, label and answer."""
    runs = []
    for run in found:
        rows = {
            key: [f"    {json.dumps(row)}" for row in run[key]]
            for key in ("detections", "anomalies")
        }
        rows["answers"] = [
            f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in run["answers"].items()
        ]
        parts = [
            f'  "{key}": {"{" if key == "answers" else "["}\n'
            + ",\n".join(lines)
            + f"\n  {'}' if key == 'answers' else ']'}"
            for key, lines in rows.items()
        ]
        runs.append("{\n" + ",\n".join(parts) + "\n}")
    return "[\n" + ",\n".join(runs) + "\n]\n"


def same(found: Any, kept: Any, where: str) -> None:
    assert type(found) is type(kept) or {type(found), type(kept)} == {int, float}, where
    if isinstance(found, dict):
        assert sorted(found) == sorted(kept), where
        for key, value in found.items():
            same(value, kept[key], f"{where} / {key}")
    elif isinstance(found, list):
        assert len(found) == len(kept), where
        for at, (one, other) in enumerate(zip(found, kept, strict=True)):
            same(one, other, f"{where} / {at}")
    elif isinstance(found, float):
        assert found == pytest.approx(kept, rel=CLOSE, abs=1e-12), where
    else:
        assert found == kept, where


@pytest.mark.parametrize("name", zoo.EVENTS)
def test_of_a_run_with_one_event(name: str, request: pytest.FixtureRequest) -> None:
    compare(name, [alone(name)], request)


@pytest.mark.parametrize("name", zoo.EVENTS)
def test_of_an_event_beside_everything_else(name: str, request: pytest.FixtureRequest) -> None:
    compare(f"{name} beside all", [beside(name)], request)


@pytest.mark.parametrize("name", LOGS)
def test_of_a_sample_log(name: str, request: pytest.FixtureRequest) -> None:
    runs = load_runs(HERE.parent / "sample_logs" / name / "run")
    compare(f"log {name}", runs, request)
