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


class TestRatio:
    """The old values as a multiple of the new ones."""

    def ratio(self, old: list[float], new: list[float]) -> float | None:
        first = RawSeries("loss", np.arange(len(old)), np.array(old), order=np.arange(len(old)))
        again = RawSeries("loss", np.arange(len(new)), np.array(new), order=np.arange(len(new)))
        (piece,) = pieces(joined(first, again))
        return piece.ratio

    def test_one_training_counted_in_two_ways(self) -> None:
        # As printed, with the rounding of four decimals.
        assert self.ratio([10.5949, 8.2312, 6.0704], [2.119, 1.6462, 1.2141]) == pytest.approx(
            5.0, rel=1e-4
        )
        assert self.ratio([2.0, 1.5, 1.0], [8.0, 6.0, 4.0]) == pytest.approx(0.25)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ([4.0, 3.0], [2.0, 1.5]),  # two steps
            ([4.0, 3.0, 2.2], [2.0, 1.5, 1.0]),  # a ratio that moves by a tenth
            ([4.0, 3.0, 2.004], [2.0, 1.5, 1.0]),  # by two thousandths
            ([2.0, 1.5, 1.0], [2.0, 1.5, 1.0]),  # the same
            ([2.018, 1.5135, 1.009], [2.0, 1.5, 1.0]),  # nearly the same
            ([4.0, 4.0, 4.0], [2.0, 2.0, 2.0]),  # nothing that moves
            ([4.0, 3.0, np.nan], [2.0, 1.5, 1.0]),
            ([4.0, 3.0, -2.0], [2.0, 1.5, -1.0]),
        ],
    )
    def test_what_is_no_multiple(self, old: list[float], new: list[float]) -> None:
        assert self.ratio(old, new) is None

    def test_a_report_says_what_differs(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        rows = [(step, factor * (1 + 1 / step)) for factor in (4, 1) for step in range(1, 7)]
        lines = [f'{{"step": {step}, "loss": {value:.6f}}}\n' for step, value in rows]
        log.write_text("".join(lines), encoding="utf-8")
        (report,) = analyze_all(str(log))
        (found,) = report.findings
        assert found.anomaly.label == "resume-discontinuity"
        assert "is 4 times that of the second" in found.summary.en
        assert report.headline.en == (
            "The log holds steps 1 to 6 twice, counted in two ways: 4 to 1."
        )
        causes = [cause.rule.cause for cause in report.causes[:2]]
        assert causes == ["normalisation-changed", "framework-bug"]
