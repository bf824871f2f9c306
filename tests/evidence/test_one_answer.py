"""What an accuracy that never moves says about the answers."""

from __future__ import annotations

import numpy as np

import spikedoc.evidence
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.pipeline import detect, diagnose
from spikedoc.plugins import discover
from spikedoc.rules.loader import load_catalog

PROBES = {p.name: p for family in discover(spikedoc.evidence, "PROBES").values() for p in family}


def test_the_same_class_for_every_sample() -> None:
    loss = 0.14 + 0.5 * np.exp(-np.arange(30) / 2.0)
    run = load_frame({"loss": loss, "val_loss": loss + 0.01, "val_accuracy": np.full(30, 0.9712)})
    found = classify(run, detect(run))
    (stuck,) = (a for a in found if a.form is Form.PLATEAU)
    said = PROBES["gives_one_answer"].answer(Case(run, stuck, found))
    assert (said.verdict, said.values["accuracy"]) == (Verdict.SUPPORTS, 0.971)
    assert said.values["count"] == 30


def test_a_plateau_of_another_kind(ask, falling) -> None:
    found = ask("gives_one_answer", Kind.NON_CONVERGENCE, 1, 1, 1000, loss=falling)
    assert found.verdict is Verdict.UNKNOWN


def test_an_even_guess_is_not_laid_at_the_classes() -> None:
    rng = np.random.default_rng(1)
    loss = 2.3026 + 0.002 * rng.normal(size=20)
    columns = {"loss": loss, "val_loss": loss, "val_accuracy": np.full(20, 0.1)}
    run = load_frame(columns | {"train_accuracy": 0.1 + 0.002 * rng.normal(size=20)})
    report = diagnose(run, load_catalog(None))
    codes = [cause.rule.code for cause in report.causes]
    assert codes[0] == "SD505"  # to the last sample the same: labels have no say in it
    weak = {cause.rule.code: cause.score for cause in report.causes}
    assert weak.get("SD107", 0.0) < 0.5 * weak["SD505"]


def stuck(ask, **series):
    tags = {"val_metric": "accuracy", "train_metric": "train_accuracy"}
    return ask("accuracy_never_moves", Kind.NON_CONVERGENCE, 1, 1, 10, tags=tags, **series)


def test_the_same_count_of_right_answers_each_time(ask, falling) -> None:
    found = stuck(ask, loss=falling, val_metric=np.full(5, 10.0))  # in percent
    assert found.verdict is Verdict.SUPPORTS
    assert found.values == {"low": 0.1, "high": 0.1, "count": 5}
    moving = stuck(ask, loss=falling, val_metric=np.array([0.1, 0.1, 0.1001, 0.1, 0.1]))
    assert moving.verdict is Verdict.REFUTES


def test_what_no_accuracy_tells(ask, falling) -> None:
    for share in (np.full(4, 0.1), np.ones(9), np.zeros(9)):
        assert stuck(ask, loss=falling, val_metric=share).verdict is Verdict.UNKNOWN
    assert stuck(ask, loss=falling).verdict is Verdict.UNKNOWN
    train = stuck(ask, loss=falling, train_metric=np.full(9, 0.25))
    assert train.verdict is Verdict.SUPPORTS
