"""Where one piece of a training meets the next."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest.merge import Attempt, attempts
from spikedoc.ingest.pieces import SEAMS_TOLD, told_pieces
from spikedoc.model.run import Piece, Restart
from spikedoc.pipeline import analyze_all
from spikedoc.readers.base import RawSeries
from tests.notes import english

NAMES = ("part1.log", "part2.log", "part3.log")


def loss(steps: range, shift: float = 0.0, bad: dict[int, float] | None = None) -> RawSeries:
    values = 1 + np.exp(-np.array(steps) / 50) + shift
    for step, value in (bad or {}).items():
        values[steps.index(step)] = value
    return RawSeries("loss", np.array(steps), values, order=np.arange(len(steps)))


def joined(*parts: RawSeries) -> Attempt:
    (one,) = attempts([[part] for part in parts], NAMES)
    return one


def pieces(one: Attempt) -> list[Piece]:
    return [restart.piece for restart in one.restarts if restart.piece is not None]


def test_files_that_meet() -> None:
    one = joined(loss(range(100)), loss(range(100, 200)), loss(range(200, 250)))
    assert pieces(one) == [Piece("part2.log", "part1.log"), Piece("part3.log", "part2.log")]
    assert english(one.notes) == (
        "part2.log goes on at step 100, part1.log ended at step 99",
        "part3.log goes on at step 200, part2.log ended at step 199",
    )


def test_files_that_overlap_say_what_was_written_again() -> None:
    one = joined(loss(range(100)), loss(range(80, 200), 0.1), loss(range(190, 250), 0.1))
    first, second = pieces(one)
    assert (first.rewritten, first.changed) == (20, 20)
    assert (second.rewritten, second.changed) == (10, 0)
    assert one.notes[0].en == (
        "part2.log goes on at step 80, part1.log ended at step 99; 20 points from there on were "
        "replaced (20 with another value)"
    )
    assert one.notes[1].en.endswith("10 points from there on were replaced (the same)")


def test_points_replaced_twice_count_once() -> None:
    one = joined(loss(range(100)), loss(range(80, 90), 0.1), loss(range(70, 150), 0.2))
    first, second = pieces(one)
    assert first.rewritten == 20
    assert second.rewritten == 20  # 70 to 79 of the first file, 80 to 89 of the second


def test_a_counter_that_goes_back_within_a_file() -> None:
    steps = np.array([*range(100), *range(80, 160)])
    values = 1 + np.exp(-steps / 50)
    one = joined(RawSeries("loss", steps, values, order=np.arange(steps.size)))
    assert english(one.notes) == (
        "the steps go back from 99 to 80; 20 points from there on were replaced (the same)",
    )


@pytest.mark.parametrize(
    ("bad", "step", "value"),
    [({95: 9.0}, 95, 9.0), ({90: np.nan, 91: 50.0}, 90, np.nan), ({97: np.inf}, 97, np.inf)],
)
def test_what_the_restart_went_back_from_is_told(
    bad: dict[int, float], step: int, value: float
) -> None:
    (piece,) = pieces(joined(loss(range(100), bad=bad), loss(range(80, 200))))
    assert piece.bad_step == step
    assert piece.bad_value == pytest.approx(value, nan_ok=True)


def test_noise_in_the_replaced_stretch_is_not_told() -> None:
    (piece,) = pieces(joined(loss(range(100), bad={90: 1.9}), loss(range(80, 200))))
    assert (piece.bad_step, piece.bad_value) == (None, None)


def test_many_seams_are_counted() -> None:
    found = [Restart(i, i - 1, "new-file", Piece(f"{i}", f"{i - 1}")) for i in range(1, 9)]
    told = told_pieces(found)
    assert len(told) == SEAMS_TOLD + 1
    assert told[-1].en == "3 more places at which the log goes on"
    assert told_pieces([Restart(5, 4, "pause")]) == []
    assert told_pieces([Restart(5, 4, "new-file", Piece("", ""))]) == []


def test_a_report_names_what_is_not_judged(tmp_path: Path) -> None:
    """A run that diverged, went back to a checkpoint and did well afterwards."""
    rng = np.random.default_rng(0)

    def write(name: str, steps: range, bad: int | None = None) -> None:
        values = (0.5 + 2 * np.exp(-np.array(steps) / 60)) * np.exp(
            0.02 * rng.standard_normal(len(steps))
        )
        lines = [
            f"step {s} | loss {'nan' if bad is not None and s >= bad else f'{v:.4f}'}"
            for s, v in zip(steps, values, strict=True)
        ]
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    write("slurm-100.out", range(250), bad=230)
    write("slurm-104.out", range(200, 500))
    (report,) = analyze_all(tmp_path)
    assert report.status == "healthy"
    said = " ".join(text.en for text in report.limits)
    assert "Before the restart at step 200 the loss had come to NaN at step 230" in said
    assert "(slurm-100.out)" in said
    assert any("slurm-104.out goes on at step 200" in note.en for note in report.notes)
