"""How often a cause is right that spikedoc gives a score of 0.8, and so on.

    python benchmarks/calibration.py [FOLDER …] [--write]

Without a FOLDER of labelled runs (see _labelled.py) the sample logs are taken. Runs without a fault
or without a known cause are left out. --write keeps table and plot in docs/explanation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np
from _labelled import SAMPLE_LOGS, Labelled, labelled
from _measure import fill, table
from _reliability import (
    FloatArray,
    binned,
    brier,
    calibration_error,
    cross_validated,
    fitted_odds,
    resampled_odds,
)
from _svg import Curve, Panel, drawing

from spikedoc.pipeline import analyze_all
from spikedoc.rules.engine import SHARE_ODDS

EXPLANATION: Final = Path(__file__).resolve().parent.parent / "docs" / "explanation"
PAGE: Final = EXPLANATION / "how-sure.md"
PLOT: Final = EXPLANATION / "how-sure.svg"
TICKS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Every cause named for the labelled runs, in parallel arrays."""

    scores: FloatArray
    is_right: FloatArray  # 1.0 or 0.0
    is_first: FloatArray  # 1.0 for the leading cause of its run
    faults: tuple[str, ...]
    runs: int

    @property
    def shares(self) -> FloatArray:
        """The shares that the scores were made of."""
        return self.scores / (SHARE_ODDS - (SHARE_ODDS - 1.0) * self.scores)

    def leading(self) -> Named:
        """Return the leading causes alone."""
        first = self.is_first > 0
        faults = tuple(np.asarray(self.faults)[first].tolist())
        return Named(
            self.scores[first], self.is_right[first], self.is_first[first], faults, self.runs
        )


def named_causes(runs: Iterable[Labelled]) -> Named:
    """Diagnose the runs with a known cause and return what was named."""
    rows, count = [], 0
    for run in runs:
        if run.is_healthy or not run.causes or not run.kinds:
            continue
        for report in analyze_all(run.path):
            count += bool(report.causes)
            rows += [
                (cause.score, cause.rule.cause in run.causes, cause.rank == 1, run.fault)
                for cause in report.causes
            ]
        print(run.name, file=sys.stderr)
    if not rows:
        raise ValueError("no cause was named for any run with a known one")
    scores, is_right, is_first = (
        np.asarray([row[column] for row in rows], dtype=np.float64) for column in range(3)
    )
    return Named(scores, is_right, is_first, tuple(row[3] for row in rows), count)


def bins_table(found: Named) -> str:
    """Return a table: of the causes with such a score, how many were right."""
    rows = []
    for which, part in (("leading causes", found.leading()), ("all named causes", found)):
        for one in binned(part.scores, part.is_right):
            low, high = one.interval
            rows.append(
                [
                    which,
                    f"{one.low:.1f} to {one.high:.1f}",
                    str(one.count),
                    f"{one.mean:.2f}",
                    f"{one.right:.2f}",
                    f"{low:.2f} to {high:.2f}",
                ]
            )
    return table(["", "Score", "Causes", "Mean score", "Share right", "95 % interval"], rows)


def distances_table(found: Named) -> str:
    """Return a table: how far share, score, and a score fitted without the fault, are off."""
    crossed = cross_validated(found.shares, found.is_right, found.faults)
    rows = []
    for which, is_in in (
        ("leading causes", found.is_first > 0),
        ("all named causes", found.is_first >= 0),
    ):
        for what, points in (
            ("share of the weights", found.shares),
            ("score", found.scores),
            ("share with the odds fitted to the other faults", crossed),
        ):
            right = found.is_right[is_in]
            far = brier(points[is_in], right), calibration_error(points[is_in], right)
            rows.append([which, what, *(f"{number:.3f}" for number in far)])
    return table(["", "", "Brier score", "Calibration error"], rows)


def plot(found: Named) -> str:
    """Return the plot as SVG: score against share of right answers."""
    panels = [
        Panel(title, _curves(part), TICKS, TICKS, "score, or share", "share right")
        for title, part in (("Leading causes", found.leading()), ("All named causes", found))
    ]
    return drawing(panels, columns=2)


def _curves(part: Named) -> list[Curve]:
    curves = [Curve("as it should be", (0.0, 1.0), (0.0, 1.0), is_dashed=True, has_points=False)]
    for name, points in (("score", part.scores), ("share of the weights", part.shares)):
        bins = binned(points, part.is_right)
        low, high = zip(*(one.interval for one in bins), strict=True)
        curves.append(
            Curve(name, [one.mean for one in bins], [one.right for one in bins], low, high)
        )
    return curves


def text_of(found: Named) -> str:
    """Return the generated part of the page."""
    low, high = resampled_odds(found.shares, found.is_right, found.faults)
    best, first = fitted_odds(found.shares, found.is_right), found.leading()
    lines = [
        f"{date.today().isoformat()}: {found.runs} runs with a known fault, "
        f"{len(set(found.faults))} different faults, {found.scores.size} causes named; the leading "
        f"cause was right for {int(first.is_right.sum())} runs.",
        bins_table(found),
        distances_table(found),
        f"The factor on the odds that fits these runs best is {best:.1f}; nine of ten resamplings "
        f"of the faults give {low:.1f} to {high:.1f}. The one in use is {SHARE_ODDS:g}.",
    ]
    return "\n\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and keep page and plot when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[SAMPLE_LOGS], metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="keep table and plot in the docs")
    wanted = parser.parse_args(arguments)
    found = named_causes(run for folder in wanted.folders for run in labelled(folder))
    text = text_of(found)
    print(text)
    if wanted.write:
        fill(PAGE, "calibration", text)
        PLOT.write_text(plot(found), encoding="utf-8")


if __name__ == "__main__":
    main()
