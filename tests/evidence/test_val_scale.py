"""Validation counted otherwise than training, told from validation that does not work."""

from __future__ import annotations

import spikedoc.evidence
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.pipeline import detect
from spikedoc.plugins import discover

PROBES = {p.name: p for family in discover(spikedoc.evidence, "PROBES").values() for p in family}
TRAIN = [2.3, 1.5, 1.0, 0.9]


def asked(name: str, val: list[float]) -> Evidence:
    run = load_frame({"loss": TRAIN, "val_loss": val})
    found = classify(run, detect(run))
    (gap,) = (a for a in found if a.kind == "overfitting")
    return PROBES[name].answer(Case(run, gap, found))


def test_it_comes_down_with_training() -> None:
    said = asked("val_on_other_scale", [18.4, 12.0, 8.0, 7.5])
    assert (said.verdict, said.values["scale"]) == (Verdict.SUPPORTS, 8.0)
    assert asked("val_wrong_from_start", [18.4, 12.0, 8.0, 7.5]).verdict is Verdict.UNKNOWN


def test_it_stands_where_it_was() -> None:
    assert asked("val_on_other_scale", [18.4, 18.0, 18.2, 18.5]).verdict is Verdict.UNKNOWN
    assert asked("val_wrong_from_start", [18.4, 18.0, 18.2, 18.5]).verdict is Verdict.SUPPORTS
