"""What kind of loss a run minimises, by its tags: some may rise or be zero in health."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


class Objective(StrEnum):
    """Families whose loss level is, or is not, a measure of success."""

    PLAIN = "plain"
    REINFORCEMENT = "reinforcement"
    ADVERSARIAL = "adversarial"
    PREFERENCE = "preference"  # DPO and its relatives: starts at ln 2
    SELF_DISTILLED = "self-distilled"  # BYOL, DINO and the like: the target learns too
    MAXIMISED = "maximised"  # a bound or likelihood that training raises


# Whole words of a tag, case-insensitive; separators are / . _ - : and space.
REINFORCEMENT_WORDS: Final = frozenset(
    [
        "reward",
        "rewards",
        "rollout",
        "grpo",
        "ppo",
        "actor",
        "critic",
        "policy",
        "explained",
        "episode",
    ]
)
ADVERSARIAL_WORDS: Final = frozenset(
    ["gen", "dis", "disc", "generator", "discriminator", "adversarial", "adv", "gan"]
)
# Methods by name, or what only they log: the momentum or the temperature of a teacher.
SELF_DISTILLED_WORDS: Final = frozenset(
    ["byol", "simsiam", "dino", "ibot", "moco", "vicreg", "dinoloss", "koleo"]
)
SELF_DISTILLED_PAIRS: Final = (
    frozenset({"teacher", "temp"}),
    frozenset({"teacher", "temperature"}),
    frozenset({"teacher", "momentum"}),
    frozenset({"target", "momentum"}),
    frozenset({"ema", "momentum"}),
)
# The terms of VICReg.
INVARIANCE_WORDS: Final = frozenset({"invariance", "variance"})
MAXIMISED_WORDS: Final = frozenset({"elbo", "likelihood", "objective"})
MINIMISED_WORDS: Final = frozenset({"loss", "neg", "negative", "nll", "nelbo"})
PREFERENCE_WORDS: Final = frozenset({"chosen", "rejected", "margins"})
_SEPARATORS: Final = re.compile(r"[/._\-: ()]+")


def tag_words(tag: str) -> frozenset[str]:
    """Return the lower-case words of a tag."""
    return frozenset(_SEPARATORS.split(tag.lower()))


def objective(run: Run) -> Objective:
    """Return the family of `run`'s loss by the words in its tags; PLAIN when none speaks."""
    if _is_maximised(run):
        return Objective.MAXIMISED
    words = [tag_words(s.tag) for s in run.series]
    if frozenset[str]().union(*words) >= PREFERENCE_WORDS:
        return Objective.PREFERENCE
    strong = sum(1 for tag in words if tag & REINFORCEMENT_WORDS)
    if run.get(Metric.REWARD) is not None or strong >= 1:
        return Objective.REINFORCEMENT
    adversarial = [tag for tag in words if tag & ADVERSARIAL_WORDS]
    if len(adversarial) >= 2:
        return Objective.ADVERSARIAL
    return Objective.SELF_DISTILLED if _is_self_distilled(words) else Objective.PLAIN


def _is_self_distilled(words: Sequence[frozenset[str]]) -> bool:
    """Return whether the tags are those of a training whose target is a copy of the model."""
    named = any(tag & SELF_DISTILLED_WORDS for tag in words)
    paired = any(pair <= tag for pair in SELF_DISTILLED_PAIRS for tag in words)
    return named or paired or frozenset[str]().union(*words) >= INVARIANCE_WORDS


def _is_maximised(run: Run) -> bool:
    """Return whether what stands for the loss is named as something to raise, and is negative.

    An `objective` may be minimised as well: a negative value at the start is one of a likelihood.
    """
    main = run.main_loss
    if main is None or len(main) == 0:
        return False
    words = tag_words(main.tag)
    named = bool(words & MAXIMISED_WORDS) and not words & MINIMISED_WORDS
    return named and float(main.values[0]) < 0
