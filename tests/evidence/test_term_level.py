"""What a term that holds the loss up says about the cause."""

from __future__ import annotations

import numpy as np

import spikedoc.evidence
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind
from spikedoc.pipeline import detect
from spikedoc.plugins import discover

PROBES = {p.name: p for family in discover(spikedoc.evidence, "PROBES").values() for p in family}
NOISE = np.exp(np.random.default_rng(0).normal(0, 0.05, 300))
STILL = 80.0 * NOISE


def asked(**terms: np.ndarray) -> Evidence:
    run = load_frame({"loss": np.sum(list(terms.values()), axis=0), **terms})
    found = classify(run, detect(run))
    (one,) = (a for a in found if a.kind is Kind.COMPONENT_DOMINATES)
    return PROBES["term_holds_loss"].answer(Case(run, one, found))


def test_the_term_and_its_share_are_named() -> None:
    said = asked(cls_loss=np.linspace(2.3, 1.2, 300), reg_loss=STILL)
    assert said.verdict is Verdict.SUPPORTS
    assert said.values["percent"] > 95


def test_the_code_that_tells_nothing() -> None:
    said = asked(kl_loss=np.r_[np.full(5, 0.2), np.full(295, 0.002)], recon_loss=STILL)
    assert said.verdict is Verdict.SUPPORTS
    assert said.values["last"] == 0.002


def test_without_one_nothing_is_said(ask, falling) -> None:
    found = ask("term_holds_loss", Kind.NON_CONVERGENCE, 1, loss=falling)
    assert found.verdict is Verdict.UNKNOWN
