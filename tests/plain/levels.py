"""Levels and trends of a series as plain loops: what several detectors build upon."""

from __future__ import annotations

from dataclasses import dataclass

import naive


@dataclass(frozen=True)
class Levels:
    start: float
    best: float
    end: float


def levels(values: list[float]) -> Levels:
    """Medians of the start, of the lowest block of a fortieth, and of the last tenth."""
    n = len(values)
    start = naive.median(values[: min(50, max(3, n // 50))])
    blocks = naive.block_medians(values, min(max(5, n // 40), n))
    return Levels(start, min(blocks), naive.median(values[-max(5, n // 10) :]))


def trend(values: list[float]) -> tuple[float, float]:
    """Tau and change from end to end of the medians of forty blocks or more."""
    blocks = naive.block_medians(values, max(1, len(values) // 40))
    return naive.kendall_tau(blocks), naive.theil_sen(blocks) * max(0, len(blocks) - 1)
