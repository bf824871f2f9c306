"""Families of losses by the words in the tags."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective, objective, tag_words
from spikedoc.model.run import Run, Series


def run(*tags: str, metric: Metric = Metric.OTHER) -> Run:
    parts = tuple(
        Series(metric, f"s{i}", tag, np.array([1]), np.array([1.0])) for i, tag in enumerate(tags)
    )
    return Run("name", "path", parts)


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("train/policy_loss", {"train", "policy", "loss"}),
        ("Rollout/EpRewMean", {"rollout", "eprewmean"}),
        ("loss - D (fake)", {"loss", "d", "fake", ""}),
        ("a.b:c-d", {"a", "b", "c", "d"}),
    ],
)
def test_words_are_whole_and_lower_case(tag: str, words: set[str]) -> None:
    assert tag_words(tag) == words


@pytest.mark.parametrize(
    ("tags", "family"),
    [
        (("train/loss", "val/loss"), Objective.PLAIN),
        ((), Objective.PLAIN),
        (("train/loss", "rollout/ep_rew_mean"), Objective.REINFORCEMENT),
        (("actor_loss", "critic_loss"), Objective.REINFORCEMENT),
        (("train/reward",), Objective.REINFORCEMENT),
        (("loss_gen", "loss_disc"), Objective.ADVERSARIAL),
        (("generator/loss", "discriminator/loss"), Objective.ADVERSARIAL),
        (("byol_loss",), Objective.SELF_DISTILLED),
        (("loss", "teacher_temp"), Objective.SELF_DISTILLED),
        (("loss", "ema_momentum"), Objective.SELF_DISTILLED),
        (("loss", "invariance", "variance"), Objective.SELF_DISTILLED),
        (("loss", "teacher_forcing_ratio"), Objective.PLAIN),
        (("rewards/chosen", "rewards/rejected", "rewards/margins"), Objective.PREFERENCE),
    ],
)
def test_families(tags: tuple[str, ...], family: Objective) -> None:
    assert objective(run(*tags)) is family


@pytest.mark.parametrize(
    "tags",
    [
        ("train/loss", "distance"),  # not dis
        ("train/loss", "generation_time"),
        ("gen_loss",),  # one word alone is too little
        ("factor", "criticality", "policyholder_loss"),
    ],
)
def test_parts_of_words_and_lone_words_do_not_speak(tags: tuple[str, ...]) -> None:
    assert objective(run(*tags)) is Objective.PLAIN


def test_a_reward_series_speaks_whatever_its_tag() -> None:
    assert objective(run("score", metric=Metric.REWARD)) is Objective.REINFORCEMENT


@pytest.mark.parametrize(
    ("tag", "first", "expected"),
    [
        ("elbo", -540.0, Objective.MAXIMISED),
        ("train/iw_elbo", -540.0, Objective.MAXIMISED),
        ("objective", -3.0, Objective.MAXIMISED),
        ("objective", 3.0, Objective.PLAIN),  # may be a loss by another name
        ("neg_elbo", -540.0, Objective.PLAIN),
        ("elbo_loss", -540.0, Objective.PLAIN),
        ("loss", -540.0, Objective.PLAIN),
    ],
)
def test_what_training_raises(tag: str, first: float, expected: Objective) -> None:
    values = np.linspace(first, first / 5.0, 20)
    assert objective(synth.run(synth.series(values, tag=tag))) is expected
