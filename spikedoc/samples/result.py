"""What the ranking of samples found: frozen, and only what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from spikedoc.text import Text

SCHEMA: Final = "spikedoc-samples/1"
# Samples told unless more are asked for: what a person looks at in one sitting.
SHOWN: Final = 10


class Verdict(StrEnum):
    """How a sample stands among the others, the worst first."""

    NONFINITE = "nonfinite"  # NaN or infinite at least once
    STAYS_HIGH = "stays-high"  # beyond the others at most of its sightings
    HIGH = "high"  # beyond the others, seen once
    HIGH_ONCE = "high-once"  # beyond the others at some of its sightings alone
    ORDINARY = "ordinary"


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample; ratios are to the median of the batch, None where losses may be negative."""

    name: str
    verdict: Verdict
    sightings: int
    high_sightings: int
    loss: float  # median of its finite losses, NaN without any
    ratio: float | None  # median of loss over the batch's median
    worst: float  # its highest loss; not finite where one was not
    worst_at: int | None  # step or epoch of it
    share: float | None  # of that batch's sum of losses


@dataclass(frozen=True, slots=True)
class Ranking:
    """The samples of one file, those that stand apart first."""

    source: str
    unit: str  # "step", "epoch" or "" where the table says neither
    rows: int
    samples: int
    batches: int
    apart: int  # samples that stand apart
    limit: float | None  # times the batch's median from which on a lone loss stands apart
    statement: Text
    ranked: tuple[Sample, ...]  # the first of them
    advice: tuple[Text, ...]
    notes: tuple[Text, ...]
