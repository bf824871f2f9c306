"""Logs that the ranks of one run wrote, a file each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import load_runs
from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.rank_files import Place, place_of, with_ranks_joined
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.recognition import readers
from spikedoc.model.metric import Metric
from spikedoc.readers.base import RawSeries, Table
from tests.notes import english


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("r/rank0.log", Place(0, Path("r"), "*.log")),
        ("r/log_rank12.txt", Place(12, Path("r"), "log_*.txt")),
        ("r/train.local_rank=3.csv", Place(3, Path("r"), "train.*.csv")),
        ("r/rank_7/train.log", Place(7, Path("r"), "*/train.log")),
        ("r/attempt_0/3/stdout.log", Place(3, Path("r/attempt_0"), "*/stdout.log")),
        ("r/gpu0.log", None),
        ("r/worker_1.log", None),
        ("r/3/stdout.log", None),
        ("r/franking1.log", None),
        ("r/rank.log", None),
    ],
)
def test_the_name_tells_the_rank(path: str, place: Place | None) -> None:
    assert place_of(Path(path), "text") == place


def raw(tag: str, values: np.ndarray, steps: np.ndarray | None = None) -> RawSeries:
    steps = np.arange(values.size) if steps is None else steps
    return RawSeries(tag, steps.astype(np.int64), values, order=np.arange(values.size))


def log(path: str, *series: RawSeries, kind: str = "csv") -> ReadFile:
    place = Path(path)
    return ReadFile(LogFile(place, readers()[kind], place.parent), Table(series))


def loss(number: int, n: int = 40) -> RawSeries:
    return raw("loss", 2 + np.sin(np.arange(n) + number))


def tags(one: ReadFile) -> list[str]:
    return [series.tag for series in one.table.series]


def test_ranks_are_laid_side_by_side() -> None:
    lr = raw("lr", np.full(40, 0.1))
    read = [log(f"r/rank{r}.csv", loss(r), lr) for r in range(3)]
    first, second, third = with_ranks_joined(read)
    assert tags(first) == ["loss", "loss/rank0", "loss/rank1", "loss/rank2", "lr"]
    mean = np.mean([one.table.series[0].values for one in read], axis=0)
    assert np.array_equal(first.table.series[0].values, mean)
    assert [series.rank for series in first.table.series[1:4]] == [0, 1, 2]
    assert second.table.series == third.table.series == ()
    assert "3 ranks laid side by side" in first.table.notes[0].en
    assert "rank0.csv, rank1.csv, rank2.csv" in first.table.notes[0].en


@pytest.mark.parametrize("numbers", [(4, 8, 16), (1, 2), (0, 2), (0,)])
def test_ranks_of_adapters_are_runs_of_their_own(numbers: tuple[int, ...]) -> None:
    read = [log(f"r/rank{r}.csv", loss(r)) for r in numbers]
    assert with_ranks_joined(read) == read


def test_other_rates_or_steps_are_other_runs() -> None:
    rates = [log(f"r/rank{r}.csv", loss(r), raw("lr", np.full(40, 0.1 + r))) for r in range(2)]
    assert with_ranks_joined(rates) == rates
    later = raw("loss", np.ones(40), np.arange(40) + 500)
    steps = [log("r/rank0.csv", loss(0)), log("r/rank1.csv", later)]
    assert with_ranks_joined(steps) == steps


def test_a_rank_that_died_is_named_and_does_not_shorten_the_run() -> None:
    read = [log(f"r/rank{r}.csv", loss(r, 20 if r == 2 else 40)) for r in range(3)]
    first = with_ranks_joined(read)[0]
    assert first.table.series[0].steps.size == 40
    whole = np.mean([read[r].table.series[0].values for r in (0, 1)], axis=0)
    assert np.array_equal(first.table.series[0].values, whole)
    assert "the log of rank 2 ends at step 19, others go on to 39" in english(first.table.notes)


def test_a_lost_line_does_not_shift_the_others() -> None:
    keep = np.delete(np.arange(40), 7)
    values = loss(1).values
    read = [log("r/rank0.csv", loss(0)), log("r/rank1.csv", raw("loss", values[keep], keep))]
    main = with_ranks_joined(read)[0].table.series[0]
    assert main.steps.tolist() == keep.tolist()
    assert np.allclose(main.values, (loss(0).values + values)[keep] / 2)


def test_one_value_is_not_finite_in_the_mean_either() -> None:
    odd = loss(1).values.copy()
    odd[9] = np.nan
    read = [log("r/rank0.csv", loss(0)), log("r/rank1.csv", raw("loss", odd))]
    main = with_ranks_joined(read)[0].table.series[0]
    assert np.flatnonzero(np.isnan(main.values)).tolist() == [9]


def test_two_sets_in_one_folder_stay_two_runs() -> None:
    read = [
        log(f"r/{name}_rank{r}.csv", loss(r + k)) for k, name in enumerate("ab") for r in (0, 1)
    ]
    joined = with_ranks_joined(read)
    assert [one.file.path.name for one in joined] == ["a_rank0.csv", "b_rank0.csv"]


def write(path: Path, values: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{step},{value:.5f}" for step, value in enumerate(values)]
    path.write_text("\n".join(["step,loss", *rows]) + "\n")


@pytest.mark.parametrize("layout", ["rank{r}.csv", "rank_{r}/log.csv"])
def test_from_files_to_one_run_with_its_odd_rank(tmp_path: Path, layout: str) -> None:
    rng = np.random.default_rng(0)
    for r in range(8):
        values = (0.5 + 2 * np.exp(-np.arange(500) / 100)) * np.exp(0.05 * rng.standard_normal(500))
        values[300:] *= 1.6 if r == 5 else 1.0
        write(tmp_path / "run7" / layout.format(r=r), values)
    (run,) = load_runs(tmp_path / "run7")
    assert run.name == "run7"
    assert [series.rank for series in run.ranks(Metric.LOSS)] == list(range(8))
    assert len(run.sources) == 8
    from spikedoc.pipeline import analyze_all

    (report,) = analyze_all(tmp_path / "run7")
    (finding,) = (f for f in report.findings if f.anomaly.label == "rank-outlier")
    assert finding.anomaly.signal == "loss_rank5"
    assert abs(finding.anomaly.start_step - 300) <= 5
    assert finding.anomaly.severity == "warning"
    assert "leaves the other ranks at step" in finding.summary.en


def test_a_thousand_folders_are_still_read_rank_by_rank(tmp_path: Path) -> None:
    """Folders of one format are read apart from each other, the ranks of a run together."""
    for name in "ab":
        for r in range(2):
            write(tmp_path / name / f"rank_{r}" / "log.csv", loss(r + ord(name)).values)
    runs = load_runs(tmp_path)
    assert [run.name for run in runs] == ["a", "b"]
    assert all(len(run.ranks(Metric.LOSS)) == 2 for run in runs)
