"""Many logs of one folder are told apart as all pairs of them would be, only faster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.ingest.assemble import main_loss, same_data
from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.file_names import Names
from spikedoc.ingest.grouping import chains, clusters
from spikedoc.ingest.kinship import SAMPLED, Kinship, Log, span
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.recognition import readers
from spikedoc.readers.base import RawSeries, Table

Groups = list[list[ReadFile]]
# As many points as are sampled, and more.
SIZES = (1, 4, SAMPLED, 200)


def log(name: str, kind: str, *series: RawSeries) -> ReadFile:
    return ReadFile(LogFile(Path("r", name), readers()[kind], Path("r")), Table(series))


def continues(a: ReadFile, b: ReadFile) -> bool:
    stems = {one.file.path.stem.rstrip("0123456789").rstrip("_") for one in (a, b)}
    (first, end), (second, _) = sorted(span(one.table.series) for one in (a, b))
    return len(stems) == 1 and second > first and second >= end - (end - first) // 2


def share_names(a: ReadFile, b: ReadFile) -> bool:
    return a.kind == b.kind and not a.tags.isdisjoint(b.tags)


def rivals(a: ReadFile, b: ReadFile) -> bool:
    is_same = same_data(a.table.series, b.table.series)
    is_other = share_names(a, b) or are_apart(a, b)
    return is_other and not is_same and not continues(a, b)


def are_apart(a: ReadFile, b: ReadFile) -> bool:
    mine, theirs = main_loss(a.table.series), main_loss(b.table.series)
    if mine is None or theirs is None or {mine.tag, theirs.tag} != {"loss"}:
        return False
    if Names([a.file.path, b.file.path]).apart(0)[1]:
        return True
    broken, whole = finite_at(mine), finite_at(theirs)
    shared = broken.keys() & whole.keys()
    least = max(3, 0.9 * max(len(broken), len(whole)))
    return len(shared) >= least and any(broken[step] != whole[step] for step in shared)


def finite_at(series: RawSeries) -> dict[int, bool]:
    """Whether the first value of each step is finite."""
    pairs = zip(series.steps.tolist(), np.isfinite(series.values).tolist(), strict=True)
    return dict(reversed(list(pairs)))


def follows(a: ReadFile, b: ReadFile) -> bool:
    is_same = same_data(a.table.series, b.table.series)
    return share_names(a, b) and not is_same and continues(a, b)


def fitted(files: list[ReadFile], fits: Callable[[ReadFile, list[ReadFile]], bool]) -> Groups:
    """Each file into the first group that it fits: the slow way, over all pairs."""
    found: Groups = []
    for one in files:
        home = next((group for group in found if fits(one, group)), None)
        if home is None:
            found.append([one])
        else:
            home.append(one)
    return found


def slow_clusters(files: list[ReadFile]) -> Groups:
    return fitted(files, lambda one, group: not any(rivals(one, other) for other in group))


def slow_chains(files: list[ReadFile]) -> Groups:
    return fitted(files, lambda one, group: any(follows(one, other) for other in group))


def names(groups: Groups) -> list[list[str]]:
    return [[one.file.path.name for one in group] for group in groups]


@st.composite
def losses(draw: st.DrawFn) -> RawSeries:
    """One of few curves, cut, moved, thinned out, salted or disturbed."""
    size = draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(draw(st.integers(0, 3)))
    values = 2.0 + np.cumsum(rng.standard_normal(size))
    values *= draw(st.sampled_from((1.0, 1.0, 1.0005, 1.002)))
    steps = np.arange(size) * draw(st.sampled_from((1, 1, 5)))
    steps = steps + draw(st.sampled_from((0, 0, size // 2, 3 * size)))
    disturbed = np.random.default_rng(draw(st.integers(0, 5)))
    some = disturbed.random(size) < draw(st.sampled_from((0.0, 0.08, 0.12)))
    values[some] = draw(st.sampled_from((9e9, np.nan, np.inf, 0.0)))
    values = np.where(draw(st.booleans()) and draw(st.booleans()), 1.5, values)
    kept = disturbed.random(size) >= draw(st.sampled_from((0.0, 0.0, 0.08, 0.5)))
    kept[0] = True
    again = draw(st.sampled_from((0, 0, size // 10)))
    steps = np.concatenate([steps[kept], steps[:again]])
    values = np.concatenate([values[kept], values[:again]])
    return RawSeries(draw(st.sampled_from(("loss", "loss", "val_loss", "thing"))), steps, values)


@st.composite
def folders(draw: st.DrawFn) -> list[ReadFile]:
    files = []
    for number in range(draw(st.integers(1, 9))):
        stem = draw(st.sampled_from(("log", "log", "run_", "other")))
        kind = draw(st.sampled_from(("csv", "csv", "csv", "jsonl")))
        more = draw(st.sampled_from(("lr", "accuracy")))
        series = (draw(losses()), RawSeries(more, np.arange(3), np.ones(3)))
        files.append(log(f"{stem}{number}.x", kind, *series[: draw(st.integers(1, 2))]))
    return files


@given(folders())
@settings(max_examples=200, deadline=None)
def test_groups_are_those_of_all_pairs(files: list[ReadFile]) -> None:
    found = clusters(files)
    assert names(found) == names(slow_clusters(files))
    assert [names(chains(cluster)) for cluster in found] == [
        names(ordered(slow_chains(cluster))) for cluster in found
    ]


def ordered(groups: Groups) -> Groups:
    return [
        sorted(group, key=lambda o: (span(o.table.series)[1], o.file.path.name)) for group in groups
    ]


@given(st.lists(losses(), min_size=2, max_size=8))
@settings(max_examples=200, deadline=None)
def test_data_are_the_same_as_for_all_pairs(series: list[RawSeries]) -> None:
    kin = Kinship([Log(Path(f"{i}.csv"), "csv", (one,)) for i, one in enumerate(series)])
    among = np.ones(len(series), dtype=bool)
    for index, one in enumerate(series):
        expected = [same_data([one], [other]) for other in series]
        assert kin.same(index, among).tolist() == expected


@pytest.mark.parametrize("agreeing", [0.95, 0.88])
def test_long_logs_that_agree_nearly_everywhere(agreeing: float) -> None:
    rng = np.random.default_rng(0)
    count, steps = 40, np.arange(5_000)
    base = 2.0 + rng.standard_normal(steps.size)
    series = [
        RawSeries("loss", steps, np.where(rng.random(steps.size) < agreeing, base, base + 1.0))
        for _ in range(count)
    ]
    kin = Kinship([Log(Path(f"{i}.csv"), "csv", (one,)) for i, one in enumerate(series)])
    for index, one in enumerate(series[:5]):
        expected = [same_data([one], [other]) for other in series]
        assert kin.same(index, np.ones(count, dtype=bool)).tolist() == expected


def test_losses_next_to_the_largest_double_are_compared() -> None:
    steps = np.arange(20)
    large = np.where(steps % 2 == 0, 1.7976931348623157e308, 1.0)
    nearly = np.where(steps == 1, 1.0 + 1e-12, large)  # no copy, and the same data
    series = [RawSeries("loss", steps, values) for values in (large, nearly)]
    kin = Kinship([Log(Path(f"{i}.csv"), "csv", (one,)) for i, one in enumerate(series)])
    assert kin.same(0, among=np.array([True, True])).tolist() == [True, True]
