"""A shape seen in one series, and the anomaly it amounts to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spikedoc.model.label import Form, Kind, Severity


class Shape(StrEnum):
    """What a detector saw, without meaning."""

    POINT = "point"  # one or a few points far above the local band
    RISE = "rise"  # level after clearly above the level before
    FALL = "fall"  # level after abruptly below the level before
    END_ABOVE_BEST = "end-above-best"  # the series ends far above its best level
    HUMP = "hump"  # far above where it began for a good part of the run, and back
    ABOVE_START = "above-start"  # again and again above where it began, after having learned
    RAMP = "ramp"  # slow one-way rise
    BURSTS = "bursts"  # repeated excursions of a smooth series
    EPOCH_PROFILE = "epoch-profile"  # same profile in each epoch
    PERIOD = "period"  # same profile at a period found in the series
    AFTER_EVALUATION = "after-evaluation"
    WAVE = "wave"  # a smooth swing of the level with a steady period
    NONFINITE = "nonfinite"
    EXACT_ZERO = "exact-zero"  # exactly 0.0 where the level before was not
    FLAT = "flat"  # no progress at all
    PLATEAU = "plateau"  # progress ended high
    SLOW = "slow"  # progress too slow to get anywhere
    NOISE = "noise"  # noise as large as what was learned
    GROWING = "growing"  # swings that grow
    JUMP = "jump"  # a step in a schedule or counter
    HALVINGS = "halvings"  # loss scale halved again and again
    SCISSORS = "scissors"  # validation rises while training falls
    LEFT_BEHIND = "left-behind"  # validation gains nothing while training gains
    DROP = "drop"  # a quality that had been won is lost for good
    OUTLIER = "outlier"  # one of several parallel series leaves the others
    DECAY_TAIL = "decay-tail"  # a jump that dies away at the rate of Adam's beta1
    VANISHING = "vanishing"
    CEILING = "ceiling"  # values pile up at a maximum
    START_OFF = "start-off"  # first value far from what the loss type allows
    IMPOSSIBLE = "impossible"  # a value that a loss of this kind cannot take in health
    LEAP = "leap"  # one update at a negligible learning rate changed everything
    LONE = "lone"  # one point of a short series far beyond all others
    STEP_UP = "step-up"  # in a short series all that follows lies above all that went before
    STANDSTILL = "standstill"  # a short series of epochs that repeats itself or a guess
    GAP = "gap"  # validation far off or stuck from its first value on, while training learns
    NO_SPREAD = "no-spread"  # every reward of a group alike: nothing to learn from
    SATURATED = "saturated"  # a discriminator that is always right
    SETTING = "setting"  # a setting of the loss that goes from one value to another
    CLIP_FLOOR = "clip-floor"  # a loss at the number that its own safeguard allows at most
    BLANK = "blank"  # exactly 0 in every record, where 0 means that nothing was counted
    UNMOVED = "unmoved"  # a policy that is still its own reference
    RESCALED = "rescaled"  # steps written again with all values multiplied by one number
    HOLDS = "holds"  # a term that is nearly all of the loss and stands still, or next to nothing
    COLLAPSE = "collapse"  # a quantity that must stay up at its floor
    CLIMB = "climb"  # a short series that rises from end to end


@dataclass(frozen=True, slots=True)
class Detection:
    """A shape in one series over a closed step interval; `measures` are plain numbers."""

    detector: str
    shape: Shape
    signal: str  # Series.name
    first_step: int
    peak_step: int
    last_step: int
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One or several detections that belong together, labelled."""

    kind: Kind
    severity: Severity
    confidence: float  # 0..1, how sure the label is
    signal: str  # Series.name
    start_step: int
    peak_step: int
    end_step: int
    form: Form | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    detections: tuple[Detection, ...] = ()

    @classmethod
    def of(
        cls,
        seen: Detection,
        kind: Kind,
        severity: Severity,
        confidence: float,
        form: Form | None = None,
        *,
        measures: Mapping[str, float] | None = None,
        end_step: int | None = None,
    ) -> Anomaly:
        """Return one detection under a label; its own measures and last step unless given."""
        return cls(
            kind,
            severity,
            confidence,
            seen.signal,
            seen.first_step,
            seen.peak_step,
            seen.last_step if end_step is None else end_step,
            form,
            dict(seen.measures if measures is None else measures),
            (seen,),
        )

    def seen_as(self, shape: Shape) -> Detection | None:
        """Return the first detection of `shape` behind the anomaly; None without one."""
        return next((d for d in self.detections if d.shape is shape), None)

    @property
    def label(self) -> str:
        """Return `kind` or `kind/form`, the key used in rule files."""
        return f"{self.kind.value}/{self.form.value}" if self.form else self.kind.value
