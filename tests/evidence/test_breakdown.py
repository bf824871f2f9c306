"""What stood beside the first non-finite value."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.evidence.base import Case
from spikedoc.evidence.breakdown import PROBES
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAN = float("nan")


def found(ask, probe: str, loss: list[float], **parts: object):
    return ask(probe, Kind.NONFINITE, 1, loss=loss, form=Form.PERSISTENT, **parts)


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ([0.5, 0.6, 1265158.6], YES),
        ([0.5, 0.6, 61.0], NO),
        ([0.5, 0.6, NAN], NO),
        ([50000.0, 60000.0, 70000.0], NO),  # its own scale
    ],
)
def test_a_term_that_ran_away(ask, mask: list[float], said: Verdict) -> None:
    terms = {"cls": [1.0, 1.1, NAN], "mask": mask}
    answer = found(ask, "a_term_ran_away", [1.5, 1.7, NAN], components=terms)
    assert (answer.verdict is YES) is (said is YES)


def test_a_single_record_goes_by_its_size(ask) -> None:
    huge = found(ask, "a_term_ran_away", [NAN], components={"cls": [NAN], "mask": [2e4]})
    usual = found(ask, "a_term_ran_away", [NAN], components={"cls": [NAN], "mask": [0.5]})
    assert (huge.verdict, usual.verdict) == (YES, UNKNOWN)


def test_the_weights_by_what_is_made_of_them(ask) -> None:
    terms = {"classification_loss": [1.0, NAN], "regularization_loss": [0.1, NAN]}
    assert found(ask, "weights_are_broken", [1.1, NAN], components=terms).verdict is YES
    sound = terms | {"regularization_loss": [0.1, 0.1]}
    assert found(ask, "weights_are_broken", [1.1, NAN], components=sound).verdict is NO
    assert found(ask, "weights_are_broken", [1.1, NAN]).verdict is UNKNOWN


def test_a_sum_that_breaks_alone(ask) -> None:
    terms = {"a": [1.0, 1.0], "b": [2.0, 2.0]}
    assert found(ask, "sum_breaks_alone", [3.0, NAN], components=terms).verdict is YES
    both = terms | {"b": [2.0, NAN]}
    assert found(ask, "sum_breaks_alone", [3.0, NAN], components=both).verdict is NO


@pytest.mark.parametrize(
    ("loss", "lr", "said"),
    [
        ([NAN, NAN], [1e-6, 2e-6], YES),
        ([NAN, NAN], [0.0, 2e-6], YES),
        ([NAN, NAN], [1e-3, 1e-3], UNKNOWN),
        ([1.0, NAN], [1e-6, 2e-6], UNKNOWN),
    ],
)
def test_broken_before_any_update(ask, loss: list[float], lr: list[float], said: Verdict) -> None:
    assert found(ask, "starts_broken_at_tiny_lr", loss, lr=lr).verdict is said


@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    [
        ("loss_at_clip_floor", Kind.NONFINITE, Shape.CLIP_FLOOR),
        ("targets_are_empty", Kind.NON_CONVERGENCE, Shape.BLANK),
        ("policy_is_reference", Kind.NON_CONVERGENCE, Shape.UNMOVED),
    ],
)
def test_what_a_detector_saw(name: str, kind: Kind, shape: Shape) -> None:
    run = synth.loss_run(np.full(3, 87.3365))
    probe = next(p for p in PROBES if p.name == name)
    for seen, said in ((shape, YES), (Shape.FLAT, UNKNOWN)):
        measures = {"level": 87.3365, "points": 3.0}
        detection = Detection("test", seen, "loss", 1, 1, 3, measures)
        anomaly = Anomaly(kind, Severity.CRITICAL, 1.0, "loss", 1, 1, 3, None, {}, (detection,))
        assert probe.answer(Case(run, anomaly, (anomaly,))).verdict is said


@pytest.mark.parametrize(
    ("before", "there", "verdict"),
    [
        *(([2.0, 1.0], 200.0, YES), ([2.0, 1.0], 199.0, UNKNOWN), ([-2.0, 1.0], -200.0, YES)),
        *(([0.5, 0.1], 100.0, YES), ([0.5, 0.1], 99.0, UNKNOWN)),  # a hundred at least
        *(([], 1e4, YES), ([], 9999.0, UNKNOWN)),  # nothing to compare with
    ],
)
def test_how_far_a_term_ran_away(ask, before: list[float], there: float, verdict) -> None:
    n = len(before)
    loss = [1.0] * n + [float("nan")]
    parts = {"loss": loss, "components": {"kl": [*before, there], "ce": [0.5] * (n + 1)}}
    found = ask("a_term_ran_away", Kind.NONFINITE, n + 1, **parts)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"term": "kl", "value": abs(there), "step": n + 1}


@pytest.mark.parametrize(
    ("rate", "verdict"), [(1e-6, YES), (1.1e-6, UNKNOWN), (0.0, YES), (float("nan"), UNKNOWN)]
)
def test_a_rate_that_moves_no_weight(ask, rate: float, verdict: Verdict) -> None:
    parts = {"loss": [float("nan"), 1.0], "lr": [rate, 1.0]}
    found = ask("starts_broken_at_tiny_lr", Kind.NONFINITE, 1, **parts)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"lr": rate, "step": 1}
        assert ("no update did it" in found.statement.en) is (rate == 0)


@pytest.mark.parametrize(
    ("terms", "verdict"),
    [
        ({"a": [1.0, 1.0], "b": [1.0, 1.0]}, YES),
        ({"a": [1.0, 1.0], "b": [1.0, float("inf")]}, NO),
        ({"a": [1.0, 1.0], "b": [1.0]}, UNKNOWN),  # only one of them was logged there
        ({"a": [1.0, 1.0]}, UNKNOWN),
        ({"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [float("nan")]}, YES),
    ],
)
def test_two_terms_stand_beside_a_sum(ask, terms: dict[str, list[float]], verdict: Verdict) -> None:
    parts = {"loss": [2.0, float("nan")], "components": terms}
    found = ask("sum_breaks_alone", Kind.NONFINITE, 2, **parts)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"step": 2, "count": 2}
