"""A place that several runs spike at, and why it may be told."""

from __future__ import annotations

from dataclasses import dataclass

from spikedoc.text import Text


@dataclass(frozen=True, slots=True)
class Coincidence:
    """One place that several runs spike at."""

    view: str  # "step" | "epoch-phase" | "samples"
    first: int
    last: int
    runs: tuple[str, ...]  # that spike there
    among: int  # runs that were there
    chance: float  # probability that unrelated spikes meet like this anywhere
    points_to_data: bool
    text: Text
