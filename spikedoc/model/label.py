"""The closed set of anomaly kinds, their forms and severities; ids never change meaning."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What an anomaly is; the values are the ids of the JSON report."""

    ISOLATED_SPIKE = "isolated-spike"
    SLOW_RECOVERY = "slow-recovery"
    LEVEL_SHIFT = "level-shift"
    SUSTAINED_DRIFT = "sustained-drift"
    DIVERGENCE = "divergence"
    PERIODIC_SPIKES = "periodic-spikes"
    NONFINITE = "nonfinite"
    NON_CONVERGENCE = "non-convergence"
    OSCILLATION = "oscillation"
    OVERFITTING = "overfitting"
    METRIC_DAMAGE = "metric-damage"
    QUALITY_LOSS = "quality-loss"
    GRADIENT_RAMP = "gradient-ramp"
    GRADIENT_EXPLOSION = "gradient-explosion"
    GRADIENT_VANISHING = "gradient-vanishing"
    UPDATE_SPIKE = "update-spike"
    LR_DISCONTINUITY = "lr-discontinuity"
    LOSS_SCALE_COLLAPSE = "loss-scale-collapse"
    CLIP_SATURATED = "clip-saturated"
    CLIP_INACTIVE = "clip-inactive"
    RESUME_DISCONTINUITY = "resume-discontinuity"
    RANK_OUTLIER = "rank-outlier"
    COMPONENT_DOMINATES = "component-dominates"
    UNBOUNDED_GROWTH = "unbounded-growth"
    DIVERSITY_COLLAPSE = "diversity-collapse"
    FIRST_LOSS_OFF = "first-loss-off"


class Form(StrEnum):
    """Which shape of a kind it is, for the kinds that have shapes."""

    UP = "up"
    DOWN = "down"
    TO_NONFINITE = "to-nonfinite"
    FINITE = "finite"
    EPOCH = "epoch"
    FIXED_PERIOD = "fixed-period"
    AFTER_EVALUATION = "after-evaluation"
    GRADIENT = "gradient"
    UPDATE = "update"
    FROM_START = "from-start"
    TRANSIENT = "transient"
    PERSISTENT = "persistent"
    MASKED = "masked"
    FLAT = "flat"
    PLATEAU = "plateau"
    SLOW = "slow"
    CONSTANT_ZERO = "constant-zero"
    NOISE = "noise"
    WAVE = "wave"
    BURSTS = "bursts"
    GROWING = "growing"
    JUMP = "jump"
    RESET = "reset"
    RESTART = "restart"
    MISMATCH = "mismatch"
    CHAIN = "chain"
    FLOOR = "floor"
    STAIRCASE = "staircase"
    ABOVE = "above"
    BELOW = "below"
    CODES = "codes"
    EXPERTS = "experts"
    FEATURES = "features"
    POLICY = "policy"
    ATTENTION = "attention"


FORMS: dict[Kind, tuple[Form, ...]] = {
    Kind.LEVEL_SHIFT: (Form.UP, Form.DOWN),
    Kind.DIVERGENCE: (Form.TO_NONFINITE, Form.FINITE),
    Kind.PERIODIC_SPIKES: (
        *(Form.EPOCH, Form.FIXED_PERIOD, Form.AFTER_EVALUATION),
        *(Form.GRADIENT, Form.UPDATE),
    ),
    Kind.NONFINITE: (Form.FROM_START, Form.TRANSIENT, Form.PERSISTENT, Form.MASKED),
    Kind.NON_CONVERGENCE: (Form.FLAT, Form.PLATEAU, Form.SLOW, Form.CONSTANT_ZERO),
    Kind.OSCILLATION: (Form.NOISE, Form.WAVE, Form.BURSTS, Form.GROWING),
    Kind.LR_DISCONTINUITY: (Form.JUMP, Form.RESET, Form.RESTART, Form.MISMATCH),
    Kind.LOSS_SCALE_COLLAPSE: (Form.CHAIN, Form.FLOOR, Form.STAIRCASE),
    Kind.FIRST_LOSS_OFF: (Form.ABOVE, Form.BELOW),
    Kind.DIVERSITY_COLLAPSE: (
        *(Form.CODES, Form.EXPERTS, Form.FEATURES, Form.POLICY, Form.ATTENTION),
    ),
}


# Anomalies that fill the run or a stretch of it and have no moment at which they begin.
STRETCHES: Final = frozenset(
    {
        Kind.NON_CONVERGENCE,
        Kind.OSCILLATION,
        Kind.OVERFITTING,
        Kind.GRADIENT_VANISHING,
        Kind.CLIP_SATURATED,
        Kind.CLIP_INACTIVE,
        Kind.COMPONENT_DOMINATES,
        Kind.FIRST_LOSS_OFF,
        Kind.UNBOUNDED_GROWTH,
    }
)
# Kinds that last from the first point on or come back all the time: nothing lies before them.
LASTING: Final = STRETCHES | {Kind.PERIODIC_SPIKES}
# Kinds by which a run is lost or harmed from some step on: what a guard is there for.
HARMING: Final = frozenset(
    {
        Kind.SLOW_RECOVERY,
        Kind.LEVEL_SHIFT,
        Kind.SUSTAINED_DRIFT,
        Kind.DIVERGENCE,
        Kind.NONFINITE,
        Kind.GRADIENT_RAMP,
        Kind.GRADIENT_EXPLOSION,
        Kind.LOSS_SCALE_COLLAPSE,
    }
)
# What may lead up to a later anomaly. Patterns, plateaus and settings have no onset to speak of.
LEADING: Final = HARMING | {Kind.UPDATE_SPIKE, Kind.LR_DISCONTINUITY}


class Severity(StrEnum):
    """How much an anomaly matters: know it, look at it, or the run is lost or harmed."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Return 0, 1 or 2, for comparing."""
        return list(Severity).index(self)


class Status(StrEnum):
    """Verdict on a run: the worst severity, `unknown` when there is too little to judge."""

    HEALTHY = "healthy"
    UNKNOWN = "unknown"
    WARNING = "warning"
    CRITICAL = "critical"
