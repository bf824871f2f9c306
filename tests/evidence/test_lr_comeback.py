"""A schedule that ran past its end."""

from __future__ import annotations

import numpy as np
import pytest

import spikedoc.evidence
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind
from spikedoc.pipeline import detect
from spikedoc.plugins import discover

PROBES = {p.name: p for family in discover(spikedoc.evidence, "PROBES").values() for p in family}
STEPS = np.arange(1000)
LOSS = 2.0 * np.exp(-STEPS / 200.0) + np.random.default_rng(0).normal(1.0, 0.01, 1000)


def asked(name: str, lr: np.ndarray) -> list[Evidence]:
    run = load_frame({"loss": LOSS, "lr": lr})
    found = classify(run, detect(run))
    of_lr = [a for a in found if a.kind is Kind.LR_DISCONTINUITY]
    return [PROBES[name].answer(Case(run, a, found)) for a in of_lr]


def test_a_cosine_that_goes_on() -> None:
    lr = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 500))
    (said,) = asked("lr_comes_back", lr)
    assert said.verdict is Verdict.SUPPORTS
    assert said.values["step"] == pytest.approx(500, abs=2)
    (jumped,) = asked("lr_jumped_up", lr)
    assert jumped.verdict is Verdict.UNKNOWN


def test_a_jump_is_none() -> None:
    lr = np.where(STEPS < 500, 1e-4, 1e-3)
    assert [said.verdict for said in asked("lr_comes_back", lr)] == [Verdict.UNKNOWN]
