"""A rule of the catalogue: which anomalies it explains, what speaks for it, what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from spikedoc.text import FieldValue, Text


class Domain(StrEnum):
    """Where in a training setup the cause lives."""

    DATA = "data"
    OPTIMIZER = "optimizer"
    SCHEDULE = "schedule"
    RESUME = "resume"
    NUMERICS = "numerics"
    STATE = "state"
    OBJECTIVE = "objective"
    DISTRIBUTED = "distributed"
    OUTSIDE = "outside"
    BENIGN = "benign"


class Cost(StrEnum):
    """What a check costs the reader."""

    MINUTES = "minutes"
    HOURS = "hours"
    RERUN = "rerun"


# What a fix may change, as every framework has it under a name of its own.
SETTINGS: Final = frozenset(
    {
        *("clip", "lr", "warmup", "beta2", "eps", "bf16", "loss_scale", "accumulation", "seed"),
        *("stop_at_nan", "anomaly", "resume", "resume_step", "shuffle"),
    }
)


@dataclass(frozen=True, slots=True)
class Weight:
    """How strongly a probe's answer speaks: 1 weak, 2 moderate, 3 strong, 0 not at all.

    Inverted: it is the probe's "no" that supports the rule, and its "yes" that refutes it.
    """

    probe: str
    supports: int
    refutes: int
    inverted: bool = False


class Turn(StrEnum):
    """Which way a fix moves the learning rate: two of one report must not pull both ways."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Action:
    """A check or a fix. `text` may hold `{figure}` names; `unmeasured` stands in without them."""

    id: str
    text: Text
    unmeasured: Text | None = None
    cost: Cost | None = None  # checks only
    figures: tuple[str, ...] = ()  # names used in `text`
    settings: Mapping[str, FieldValue] = field(default_factory=dict)  # "{name}" is a figure
    turns_lr: Turn | None = None  # fixes only


@dataclass(frozen=True, slots=True)
class Rule:
    """One possible cause. `priors` maps `kind` or `kind/form` to a weight 1..9 within it."""

    code: str
    slug: str
    cause: str
    domain: Domain
    priors: Mapping[str, int]
    title: Text
    why: Text
    benign_when: Text
    weights: tuple[Weight, ...]
    checks: tuple[Action, ...]
    fixes: tuple[Action, ...]
    sources: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    example: str = ""

    @property
    def name(self) -> str:
        """Return code and slug as in the file name, e.g. `SD401-fp16-overflow`."""
        return f"{self.code}-{self.slug}"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a procedure: an id, what it is for, and the checks that belong to it."""

    id: str
    title: Text
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalog:
    """All the knowledge loaded from files; ids are unique."""

    rules: tuple[Rule, ...]
    checks: Mapping[str, Action] = field(default_factory=dict)
    fixes: Mapping[str, Action] = field(default_factory=dict)
    procedures: Mapping[str, tuple[Stage, ...]] = field(
        default_factory=dict
    )  # kind → ordered stages

    def rule(self, key: str) -> Rule | None:
        """Return the rule with this code, slug, full name or retired alias (any case), or None."""
        wanted = key.lower()
        for rule in self.rules:
            names = (rule.code, rule.slug, rule.name, *rule.aliases)
            if wanted in {name.lower() for name in names}:
                return rule
        return None
