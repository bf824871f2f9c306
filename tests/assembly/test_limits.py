"""What a log cannot show is said, and only that."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.limits import limits
from spikedoc.assembly.report import judge
from spikedoc.model.label import Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def english(run: Run) -> list[str]:
    found = limits(run)
    assert all(text.zh for text in found)
    return [text.en for text in found]


def test_a_long_log_of_every_step_has_none() -> None:
    assert english(synth.healthy().run) == []


def test_no_loss_is_said_first_of_all() -> None:
    (only,) = english(synth.run(synth.series(np.ones(500), Metric.LR)))
    assert "No training or validation loss" in only
    assert only.endswith("train/lr")
    assert "--map loss=TAG" in only
    (bare,) = english(Run("bare", "bare", ()))
    assert "No training or validation loss" in bare
    assert "--map" not in bare


@pytest.mark.parametrize("n", [1, 7])
def test_a_handful_of_points_cannot_be_judged(n: int) -> None:
    (only,) = english(synth.loss_run(np.ones(n)))
    assert only.startswith(f"Only {n} finite")


@pytest.mark.parametrize("n", [8, 59])
def test_few_points_have_no_spikes(n: int) -> None:
    (only,) = english(synth.loss_run(np.ones(n)))
    assert only.startswith(f"{n} loss values")


def test_only_finite_points_count() -> None:
    values = np.full(500, np.nan)
    values[:5] = 1.0
    (only,) = english(synth.loss_run(values))
    assert only.startswith("Only 5 finite")


def test_what_only_counts_is_not_offered_as_the_loss() -> None:
    parts = [
        synth.series(values, Metric.OTHER, tag=tag, name=f"other:{tag}")
        for tag, values in (("Schritt", np.arange(50.0)), ("Verlust", 9.0 - np.arange(50.0) ** 0.5))
    ]
    (both,) = english(synth.run(*parts))
    assert both.endswith("`--map loss=TAG`: Verlust")
    two = synth.run(parts[1], synth.series(-np.arange(50.0), Metric.OTHER, tag="x", name="other:x"))
    assert limits(two)[0].zh.endswith("`--map loss=TAG` 指明：Verlust、x")
    (alone,) = english(synth.run(parts[0]))
    assert alone.endswith("`--map loss=TAG`: Schritt")


def test_norms_logged_after_clipping_are_named() -> None:
    grad = np.exp(0.3 * np.random.default_rng(0).standard_normal(500))
    loss = synth.series(synth.curve(n=500))
    cut = synth.run(loss, synth.series(np.minimum(grad, 1.3), Metric.GRAD_NORM))
    (only,) = english(cut)
    assert "logged after clipping" in only
    for whole in (grad, np.ones(500), np.full(500, np.nan)):
        assert english(synth.run(loss, synth.series(whole, Metric.GRAD_NORM))) == []


def test_a_sparse_log_may_miss_what_lies_between() -> None:
    (only,) = english(synth.run(synth.series(synth.curve(), stride=10)))
    assert "every 10 steps" in only
    both = english(synth.run(synth.series(np.ones(20), stride=10)))
    assert len(both) == 2


@pytest.mark.parametrize(
    ("first", "stride", "told"),
    [(2020, 20, True), (20, 20, False), (600, 20, True), (500, 20, False), (1000, 100, False)],
)
def test_a_log_that_begins_late_cannot_show_what_was_before(
    first: int, stride: int, told: bool
) -> None:
    steps = first + stride * np.arange(249)
    values = np.linspace(3.0, 2.0, 249)
    loss = Series(Metric.LOSS, "loss", "loss", steps, values)
    said = [text for text in english(synth.run(loss)) if f"begins at step {first}" in text]
    assert bool(said) is told


@pytest.mark.parametrize(("n", "told"), [(59, False), (60, True)])
def test_a_long_reward_judges_a_run_without_a_loss(n: int, told: bool) -> None:
    run = synth.run(synth.series(np.linspace(0.1, 0.9, n), Metric.REWARD, tag="reward"))
    (only,) = english(run)
    assert ("judged by its reward" in only) is told
    assert judge(run, ()) is (Status.HEALTHY if told else Status.UNKNOWN)


@pytest.mark.parametrize(
    ("total", "said"), [(3000, True), (3000.0, True), (330, False), (None, False), (True, False)]
)
def test_a_log_that_ends_long_before_its_last_step(total: float | None, said: bool) -> None:
    config = {} if total is None else {"total_steps": total}
    falling = synth.series(2.0 - np.arange(300) / 300.0, first=0)
    found = [text for text in english(synth.run(falling, config=config)) if "planned" in text]
    assert bool(found) is said
    assert all("ends at step 299 of the 3000 that" in text for text in found)


@pytest.mark.parametrize(
    ("tags", "n", "told"),
    [
        (("Loss_D", "Loss_G"), 100, True),
        (("Loss_D", "Loss_G"), 99, False),
        (("Loss_D", "Loss_VAE"), 100, False),
        (("loss_D_real", "loss_D_fake", "loss_G_GAN"), 100, True),
        (("loss_D_real", "loss_G_GAN"), 100, False),
    ],
)
def test_both_sides_of_a_gan_judge_a_run_without_a_loss(
    tags: tuple[str, ...], n: int, told: bool
) -> None:
    values = np.full(n, 0.7)
    kind = Metric.LOSS_COMPONENT
    run = synth.run(*(synth.series(values, kind, tag=tag, name=tag) for tag in tags))
    (only,) = english(run)
    assert ("the two of a GAN" in only) is told
    assert judge(run, ()) is (Status.HEALTHY if told else Status.UNKNOWN)
