"""A loss that is the sum of its logged terms."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.loss_terms import is_sum_of_terms, stands_beside
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(total: float | None, *terms: float) -> Run:
    parts = [
        synth.series(np.full(5, level), Metric.LOSS_COMPONENT, tag=f"loss_{k}", name=f"term:{k}")
        for k, level in enumerate(terms)
    ]
    whole = [] if total is None else [synth.series(np.full(5, total), Metric.LOSS)]
    return synth.run(*whole, *parts)


@pytest.mark.parametrize(
    ("total", "terms", "is_sum"),
    [
        (1.6, (0.4, 0.6, 0.6), True),
        (1.0, (0.89, 0.11), True),
        (1.0, (0.91, 0.09), False),  # one term is nearly all of it: its constants hold for the sum
        (1.0, (0.59, 0.5), True),  # off by less than a tenth
        (1.0, (0.61, 0.5), False),
        (1.0, (0.61, 0.28), False),
        (1.0, (1.0,), False),
        (1.0, (), False),
        (1.7, (21.7, -20.6, 0.6), True),  # terms of either sign
        (1.0, (20.0, -22.0, 0.6), False),
        (0.0, (0.0, 0.0), False),
        (1.7e308, (1.7e308, 1.7e308), False),
        (1.7e308, (1.7e308, -1.7e308), False),
        (np.nan, (0.5, 0.5), False),
        (1.0, (0.5, np.nan), False),
        (None, (0.5, 0.5), False),
    ],
)
def test_terms_that_make_up_the_total(
    total: float | None, terms: tuple[float, ...], is_sum: bool
) -> None:
    assert is_sum_of_terms(run(total, *terms)) is is_sum


def test_only_steps_at_which_all_were_logged() -> None:
    whole = synth.run(synth.series(np.array([9.0, 1.0, 1.0, 1.0, np.nan]), Metric.LOSS))
    half = np.array([np.nan, 0.5, 0.5, 0.5, 0.5])
    few = synth.series(half[1:], Metric.LOSS_COMPONENT, tag="b", name="term:b", first=2)
    all_along = synth.series(half, Metric.LOSS_COMPONENT, tag="a", name="term:a")
    assert is_sum_of_terms(synth.run(*whole.series, all_along, few))
    elsewhere = synth.series(half[1:], Metric.LOSS_COMPONENT, tag="b", name="term:b", first=9)
    assert not is_sum_of_terms(synth.run(*whole.series, all_along, elsewhere))


@pytest.mark.parametrize(
    ("tag", "beside"),
    [
        ("entropy_loss", True),
        ("train/entropy_loss", True),
        ("losses/policy_entropy_loss", True),
        ("losses/entropy", True),
        ("kl_loss", False),
        ("moe_aux_loss", True),
        ("router/loss", True),
        ("reg_loss", False),
        ("l2 loss", False),
        ("cross_entropy_loss", False),
        ("train/cross-entropy loss", False),
        ("crossentropy_loss", False),
        ("relative_entropy_loss", False),
        ("policy_loss", False),
        ("value_loss", False),
        ("regularization_loss", True),
        ("box_loss", False),
        ("loss", False),
    ],
)
def test_what_is_paid_or_charged_beside_an_objective(tag: str, beside: bool) -> None:
    assert stands_beside(tag) is beside
