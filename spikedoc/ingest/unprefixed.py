"""Names that their neighbours explain: qualities beside two losses, means of returns, scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from spikedoc.ingest.aliases import Role, plain_name, role_of
from spikedoc.ingest.naming import Candidate
from spikedoc.model.metric import Metric

_TRAIN_LOSS: Final = "train loss"
_VAL_LOSS: Final = re.compile(r"(?:val|valid|validation) loss")
_HAS_WORD: Final = re.compile(
    r"\b(?:train|training|trn|tr|batch|running|step|val|valid|validation|eval|test|dev)\b"
)

_MEAN: Final = "mean"
_OF_RETURNS: Final = frozenset({"episodes", _MEAN, "median", "stdev", "max", "min"})
# What TRL's RewardTrainer logs of a batch of pairs.
_OF_PAIRS: Final = frozenset({"margin", "mean reward", "max reward", "min reward"})


def with_validated(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, bare qualities behind `train_loss` and `valid_loss` as of validation.

    So fastai writes its tables, which measures on held-out data alone: a table that tells its two
    losses apart would tell two accuracies apart as well. One that stands before the loss of
    validation, or beside an accuracy of validation, is of training.
    """
    names = [plain_name(one.raw.tag) for one in found]
    at = next((place for place, name in enumerate(names) if _VAL_LOSS.fullmatch(name)), None)
    if at is None or _TRAIN_LOSS not in names[:at]:
        return list(found)
    if any(one.role.metric is Metric.VAL_METRIC for one in found):
        return list(found)
    bare = {
        place
        for place, one in enumerate(found)
        if place > at
        and one.role.metric is Metric.TRAIN_METRIC
        and not _HAS_WORD.search(names[place])
    }
    return [
        replace(one, role=_of_validation(one)) if place in bare else one
        for place, one in enumerate(found)
    ]


def with_returns(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, the `mean` of a table of returns of episodes as the reward.

    So PFRL's `scores.txt` has it: what is counted in episodes and told by `mean`, `median`,
    `stdev`, `max` and `min` is what they returned.
    """
    names = {plain_name(one.raw.tag) for one in found}
    has_reward = any(one.role.metric is Metric.REWARD for one in found)
    if has_reward or not names >= _OF_RETURNS:
        return list(found)
    reward = Role(Metric.REWARD)
    return [replace(one, role=reward) if plain_name(one.raw.tag) == _MEAN else one for one in found]


def with_scores(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, the `mean_reward` of a reward model as no reward.

    Its loss is of differences alone: where the scores of the model lie is as good as chance, and
    nothing is won or lost when they move. TRL's RewardTrainer logs it beside `margin`.
    """
    if not {plain_name(one.raw.tag).removeprefix("train ") for one in found} >= _OF_PAIRS:
        return list(found)
    return [
        replace(one, role=Role(Metric.OTHER)) if one.role.metric is Metric.REWARD else one
        for one in found
    ]


def _of_validation(one: Candidate) -> Role:
    role = role_of(f"val_{one.raw.tag}")
    return role if role.metric is Metric.VAL_METRIC else replace(one.role, metric=Metric.VAL_METRIC)
