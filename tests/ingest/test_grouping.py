"""Which logs belong to one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.grouping import by_run, chains, clusters, folders_of, prefixed
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.recognition import readers
from spikedoc.readers.base import RawSeries, Table


def raw(tag: str, first: int = 0, count: int = 30, phase: float = 0.0) -> RawSeries:
    steps = np.arange(first, first + count)
    return RawSeries(tag, steps, np.cos(steps + phase), order=np.arange(count))


def log(path: str, kind: str, *series: RawSeries) -> ReadFile:
    place = Path(path)
    return ReadFile(LogFile(place, readers()[kind], place.parent), Table(series))


def names(groups: list[list[ReadFile]]) -> list[list[str]]:
    return [[one.file.path.name for one in group] for group in groups]


def test_a_folder_is_a_run() -> None:
    a = log("r/a/log.csv", "csv", raw("loss"))
    b = log("r/b/log.csv", "csv", raw("loss", phase=1.0))
    assert by_run([a, b]) == {Path("r/a"): [a], Path("r/b"): [b]}


def test_the_same_run_in_two_formats_comes_together() -> None:
    a = log("r/csv/log.csv", "csv", raw("loss"))
    b = log("r/tb/events", "tensorboard", raw("train/loss"))
    c = log("r/other/events", "tensorboard", raw("train/loss", phase=1.0))
    groups = by_run([a, b, c])
    assert groups[Path("r/csv")] == [a, b]
    assert groups[Path("r/other")] == [c]
    assert folders_of([a, b], Path("r/csv")) == (Path("r/csv"), Path("r/tb"))


def test_a_longer_loss_of_one_logger_does_not_hide_the_shared_one() -> None:
    table = log("r/log.csv", "csv", raw("loss"), raw("val_loss", phase=0.5))
    of_batches = raw("train/batch_loss", count=600, phase=0.2)
    events = log("r/tb/events", "tensorboard", of_batches, raw("train/epoch_loss"))
    assert by_run([table, events]) == {Path("r"): [table, events]}
    for other in (raw("train/epoch_loss", phase=1.0), raw("validation/epoch_loss")):
        events = log("r/tb/events", "tensorboard", of_batches, other)
        assert len(by_run([table, events])) == 2


def test_messages_belong_to_the_run_above() -> None:
    run = log("r/log.csv", "csv", raw("loss"))
    said = log("r/out/stderr.txt", "text")
    assert by_run([run, said]) == {Path("r"): [run, said]}
    assert by_run([said]) == {}


def test_files_of_the_same_quantities_are_several_runs() -> None:
    a = log("r/a.csv", "csv", raw("loss"))
    b = log("r/b.csv", "csv", raw("loss", phase=1.0))
    lr = log("r/lr.csv", "csv", raw("lr"))
    assert names(clusters([a, b, lr])) == [["a.csv", "lr.csv"], ["b.csv"]]


def test_a_file_that_continues_another_is_of_its_run() -> None:
    second = log("r/log_2.csv", "csv", raw("loss", first=25))
    first = log("r/log_1.csv", "csv", raw("loss"))
    (cluster,) = clusters([second, first])
    assert names(chains(cluster)) == [["log_1.csv", "log_2.csv"]]


def test_of_several_states_the_last_holds_all() -> None:
    states = [log(f"r/{n}.json", "trainer_state", raw("loss", count=n)) for n in (20, 40, 30)]
    assert names(chains(states)) == [["40.json"]]


def test_tags_with_the_name_of_their_part() -> None:
    table = Table((raw("loss"),), framework="keras")
    assert [one.tag for one in prefixed(table, "validation/").series] == ["validation/loss"]
    assert prefixed(table, "validation/").framework == "keras"
    assert prefixed(table, "") is table


def test_logs_without_a_time_go_by_their_steps() -> None:
    """A clock that says nothing is none; warnings are errors here."""
    clock = np.full(30, np.nan)
    earlier = log("r/b", "tensorboard", replace(raw("loss"), wall_times=clock))
    later = log("r/a", "tensorboard", replace(raw("loss", first=30), wall_times=clock))
    assert names(chains([later, earlier])) == [["b", "a"]]


def broken(series: RawSeries) -> RawSeries:
    """The same until it breaks, in the middle."""
    late = np.arange(series.values.size) >= series.values.size // 2
    return replace(series, values=np.where(late, np.nan, series.values))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # another format, another name of the loss, another length, terms of a loss alone
        (log("r/resnet.log", "text", raw("loss")), log("r/vit.log", "jsonl", raw("loss", phase=1))),
        (log("r/a.csv", "csv", raw("loss")), log("r/b.csv", "csv", raw("train_loss", phase=1))),
        (log("r/a.txt", "text", raw("loss")), log("r/b.csv", "csv", raw("loss", 200, 900))),
        (
            log("r/nanogpt.txt", "text", raw("loss")),
            log("r/dcgan.txt", "text", raw("Loss_D", phase=2), raw("Loss_G", phase=1)),
        ),
        # names that say nothing, but only one breaks
        (log("r/a.txt", "text", raw("loss")), log("r/a.csv", "csv", broken(raw("loss", phase=1)))),
    ],
    ids=["format", "name", "length", "terms", "breaks"],
)
def test_two_trainings_are_never_one(one: ReadFile, other: ReadFile) -> None:
    for files in ([one, other], [other, one]):
        assert names(clusters(files)) == [[f.file.path.name] for f in files]


@pytest.mark.parametrize(
    "files",
    [
        # one loss told twice, in two names that say nothing of a run, or that do
        [log("r/train.log", "text", raw("loss")), log("r/metrics.csv", "csv", raw("train_loss"))],
        [log("r/resnet.log", "text", raw("loss")), log("r/exported.csv", "csv", raw("loss"))],
        # means of epochs beside the loss of batches
        [log("r/resnet.log", "text", raw("loss")), log("r/results.csv", "csv", raw("loss", 1, 9))],
        [
            log("r/resnet.log", "text", raw("loss")),
            log("r/resnet.csv", "csv", raw("loss", phase=1)),
        ],
        # what complements the loss
        [log("r/a.csv", "csv", raw("loss")), log("r/b.jsonl", "jsonl", raw("val_loss", phase=1))],
        [log("r/a.csv", "csv", raw("loss")), log("r/kl.txt", "text", raw("kl_loss", phase=1))],
        [log("r/a.csv", "csv", raw("loss")), log("r/schedule.txt", "text", raw("lr"))],
        [
            log("r/events", "tensorboard", raw("train/loss")),
            log("r/stdout.txt", "text", raw("loss")),
            log("r/history.csv", "csv", raw("loss"), raw("val_loss", phase=1)),
        ],
    ],
)
def test_files_of_one_training_stay_together(files: list[ReadFile]) -> None:
    for order in (files, files[::-1]):
        (cluster,) = clusters(order)
        assert {id(one) for one in cluster} == {id(one) for one in files}


def test_event_files_go_to_the_run_of_the_same_data() -> None:
    first, second = raw("loss"), raw("loss", phase=1.0)
    logs = [log("r/resnet.log", "text", first), log("r/vit.csv", "csv", second)]
    for series, home in ((first, 0), (second, 1), (raw("loss", phase=2.0), 0)):
        found = clusters([*logs, log("r/events", "tensorboard", series)])
        assert ["events" in group for group in names(found)] == [home == 0, home == 1]
