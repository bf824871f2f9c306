"""What one record settles, asked of the findings that rest on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import spikedoc.evidence
from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case
from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.run import Run
from spikedoc.pipeline import detect
from spikedoc.plugins import discover

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
PROBES = {p.name: p for family in discover(spikedoc.evidence, "PROBES").values() for p in family}


def run(**columns: list[float]) -> Run:
    return load_frame({name.replace("__", "/"): values for name, values in columns.items()})


def answers(one: Run, probe: str) -> list[Evidence]:
    found = classify(one, detect(one))
    return [PROBES[probe].answer(Case(one, anomaly, found)) for anomaly in found]


def only(one: Run, probe: str) -> Evidence:
    (found,) = answers(one, probe)
    return found


def test_an_absurd_loss() -> None:
    said = only(run(loss=[5.05e26, 4.94e26, 4.81e26]), "loss_is_absurd")
    assert (said.verdict, said.values["highest"]) == (YES, 5.05e26)


def test_a_loss_that_data_can_give() -> None:
    climb = run(loss=[2.0, 1.9, 1.8, 90.0, 95.0, 91.0, 93.0])
    assert only(climb, "loss_is_absurd").verdict is NO


def test_a_leap() -> None:
    said = only(run(loss=[1.93, 11.42], lr=[1.4e-7, 2.8e-7]), "leaps_at_negligible_lr")
    assert said.verdict is YES
    assert said.values == {"before": 1.93, "after": 11.4, "step": 1, "lr": 2.8e-7}


def test_below_zero() -> None:
    said = only(run(loss=[-117944.75], train_accuracy=[4e-5]), "loss_below_zero")
    assert (said.verdict, said.values["accuracy"]) == (YES, "train_accuracy")


@pytest.mark.parametrize("scale", [[6e-5], [0.0, 0.0, 0.0]])
def test_a_useless_scale(scale: list[float]) -> None:
    said = only(run(loss_scale=scale), "scale_is_useless")
    assert (said.verdict, said.values["last"]) == (YES, scale[-1])


def test_a_scale_that_fell_but_works() -> None:
    scale = [65536.0] * 60 + [65536.0 / 2**k for k in range(8)] + [256.0] * 60
    assert only(run(loss_scale=scale), "scale_is_useless").verdict is NO


def test_rewards_alike() -> None:
    one = run(loss=[0.0], grad_norm=[0.0], reward=[3.0], reward_std=[0.0])
    assert YES in [said.verdict for said in answers(one, "rewards_alike")]


def test_a_discriminator_that_has_won() -> None:
    said = only(run(loss_D=[0.0], loss_G=[34.6]), "discriminator_always_right")
    assert (said.verdict, said.values) == (YES, {"low": 0.0, "high": 34.6})


def test_validation_that_never_worked() -> None:
    one = run(loss=[0.46, 0.86, 0.79], val_loss=[302.0, 497.0, 1051.0])
    said = only(one, "val_wrong_from_start")
    assert (said.verdict, said.values["best"]) == (YES, 302.0)


@pytest.mark.parametrize(
    ("first", "best", "verdict"),
    [(6.4, 1.0, YES), (1.8, 1.0, UNKNOWN), (6.4, 0.15, UNKNOWN)],  # in the end; at times as good
)
def test_validation_that_swings_was_wrong_from_the_start_where_it_began_apart(
    first: float, best: float, verdict: Verdict
) -> None:
    falls = [1.2, 0.76, 0.56, 0.44, 0.38, 0.3, 0.28, 0.26, 0.21, 0.2]
    one = run(loss=falls, val_loss=[first, 1.5, 3.6, 4.9, best, 3.3, 2.3, 1.2, 3.2, 3.0])
    said = only(one, "val_wrong_from_start")
    assert said.verdict is verdict
    assert (verdict is YES) == (said.values.get("best") == best)


def test_none_of_them_is_asked_of_an_ordinary_spike() -> None:
    loss = np.full(400, 2.0) + np.random.default_rng(0).normal(0, 0.02, 400)
    loss[200] = 9.0
    one = replace(run(loss=loss.tolist()), name="spike")
    for probe in (
        "loss_is_absurd", "leaps_at_negligible_lr", "loss_below_zero", "scale_is_useless",
        "rewards_alike", "discriminator_always_right", "discriminator_always_wrong",
        "val_wrong_from_start",
    ):  # fmt: skip
        assert only(one, probe).verdict is UNKNOWN, probe


def test_below_zero_without_end() -> None:
    one = run(loss=[2.0] * 10 + np.linspace(2.0, -5e6, 60).tolist() + [-5e6] * 30)
    said = only(one, "loss_below_zero")
    assert (said.verdict, said.values["first"]) == (YES, 2.0)
    assert only(one, "loss_is_absurd").verdict is UNKNOWN


def test_below_zero_with_more_than_full_overlap() -> None:
    columns = {"loss": [9.0, -30.0, -60.0, -80.0], "val_iou_score": [0.5, 1.2, 1.4, 1.9]}
    (said,) = answers(run(**columns), "loss_below_zero")
    assert said.verdict is YES
    assert said.values["overlap"] == 1.9
    assert "0 to 255" in said.statement.en
    (said,) = answers(run(**columns | {"val_iou_score": [0.5, 0.6, 0.7, 1.0]}), "loss_below_zero")
    assert (said.verdict, "overlap" in said.values) == (YES, False)


def test_a_discriminator_that_takes_all_for_real() -> None:
    fooled = run(loss_D=[66.7] * 9, loss_G=[0.0] * 9)
    (said,) = answers(fooled, "discriminator_always_wrong")
    assert (said.verdict, said.values["high"]) == (YES, 66.7)
    assert [one.verdict for one in answers(fooled, "discriminator_always_right")] == [UNKNOWN]
