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


def test_it_is_one_number_whatever_is_trained() -> None:
    steps = list(range(1, 11))
    losses = [2.0 - 0.1 * step for step in steps]
    val = [0.90144 if step % 2 else None for step in steps]
    run = load_frame({"step": steps, "loss": losses, "val_loss": val})
    found = classify(run, detect(run))
    (gap,) = (a for a in found if a.kind == "overfitting")
    said = PROBES["val_never_changes"].answer(Case(run, gap, found))
    assert (said.verdict, said.values["count"]) == (Verdict.SUPPORTS, 5)
    assert PROBES["val_wrong_from_start"].answer(Case(run, gap, found)).verdict is Verdict.UNKNOWN


def test_it_moves() -> None:
    assert asked("val_never_changes", [18.4, 18.0, 18.2, 18.5]).verdict is Verdict.REFUTES


def test_neither_comes_down() -> None:
    run = load_frame({"loss": [2.3, 2.4, 2.2, 2.3], "val_loss": [18.0, 17.0, 17.5, 18.0]})
    found = classify(run, detect(run))
    (gap,) = (a for a in found if a.kind == "overfitting")
    said = PROBES["val_on_other_scale"].answer(Case(run, gap, found))
    assert (said.verdict, said.values["scale"]) == (Verdict.SUPPORTS, 7.83)
    assert said.verdict is Verdict.SUPPORTS
    beside = PROBES["val_gap_from_start"].answer(Case(run, gap, found))
    assert (beside.verdict, beside.values["ratio"]) == (Verdict.SUPPORTS, 7.83)
    assert "neither" in said.statement.en
    assert PROBES["val_wrong_from_start"].answer(Case(run, gap, found)).verdict is Verdict.UNKNOWN
