from __future__ import annotations

from pathlib import Path

import fleets
import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.ingest.places import (
    Files,
    is_apart,
    joined,
    runs_in,
    survey,
    with_companions,
)

ROOT = Path(__file__).parents[2]


def settled(root: Path) -> list[Files]:
    """Return the places with every question answered."""
    found = survey(root)
    places = with_companions(found, {files[0].folder: is_apart(files) for files in found.doubtful})
    for files in found.compared:
        places += joined(files, found.root)
    return places


def names(root: Path) -> list[str]:
    return sorted(run.name for files in settled(root) for run in runs_in(files, root))


def write_events(folder: Path, tags: dict[str, list[float]]) -> None:
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for tag, values in tags.items():
            for step, value in enumerate(values):
                writer.add_scalar(tag, value, step)


def test_every_folder_of_one_format_is_a_place(tmp_path: Path) -> None:
    found = survey(fleets.write_tree(tmp_path, runs=6))
    assert len(found.places) == 6
    assert not found.doubtful
    assert not found.compared
    assert names(tmp_path) == sorted(run.name for run in load_runs(tmp_path))


def test_depth_has_no_end(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*(f"level{n}" for n in range(20)))
    fleets.write_run(deep)
    assert [files[0].folder for files in survey(tmp_path).places] == [deep]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a")
    (tmp_path / "a/again").symlink_to(tmp_path, target_is_directory=True)
    assert len(survey(tmp_path).places) == 1


def test_what_the_scan_itself_writes_is_passed_over(tmp_path: Path) -> None:
    own = fleets.write_run(tmp_path / "a")
    other = fleets.write_run(tmp_path / "b")
    found = survey(tmp_path, [own])
    assert [file.path for files in found.places for file in files] == [other]
    assert not survey(tmp_path, [tmp_path / "a", tmp_path / "b"]).places


def test_curves_and_messages_go_to_the_run_above(tmp_path: Path) -> None:
    """A stray event file at the top does not make one place of everything below it."""
    falling = [2.0 / (1 + step) for step in range(60)]
    write_events(tmp_path, {"loss": falling})
    write_events(tmp_path / "loss_train", {"loss": falling})  # as add_scalars has it
    write_events(tmp_path / "other", {"loss": falling, "lr": falling})
    found = survey(tmp_path)
    assert len(found.places) == 1
    assert len(found.doubtful) == 2
    places = settled(tmp_path)
    assert sorted(len(files) for files in places) == [1, 2]
    assert names(tmp_path) == sorted(run.name for run in load_runs(tmp_path))


def test_two_formats_of_one_run_are_one_place(tmp_path: Path) -> None:
    values = [
        float(line.split(",")[1])
        for line in fleets.write_run(tmp_path / "csv/version_0").read_text().splitlines()[1:]
    ]
    write_events(tmp_path / "tb/version_0", {"loss": values})
    write_events(tmp_path / "tb/version_1", {"loss": values[::-1]})
    (compared,) = survey(tmp_path).compared
    assert len(compared) == 3
    places = settled(tmp_path)
    assert sorted(len(files) for files in places) == [1, 2]
    assert names(tmp_path) == sorted(run.name for run in load_runs(tmp_path))
    assert len(names(tmp_path)) == 2


def test_the_sample_logs_give_what_they_give_as_a_whole() -> None:
    assert names(ROOT / "sample_logs") == sorted(
        run.name for run in load_runs(ROOT / "sample_logs")
    )


def test_a_pattern_and_a_file(tmp_path: Path) -> None:
    fleets.write_tree(tmp_path)
    assert len(survey(tmp_path / "p0/*/metrics.csv").places) == 2
    assert len(survey(tmp_path / "p0/run0/metrics.csv").places) == 1


def test_a_place_without_a_known_quantity_has_no_run(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("x,y\n" + "\n".join(f"{n},{n * n}" for n in range(50)))
    (files,) = survey(tmp_path).places
    assert list(runs_in(files, tmp_path)) == []


def test_a_damaged_place_is_an_error(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a")
    (files,) = survey(tmp_path).places
    log.write_bytes(b"step,loss\n")
    with pytest.raises(InputError):
        list(runs_in(files, tmp_path))


def test_a_role_given_by_hand_need_not_be_in_every_place(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a")
    (files,) = survey(tmp_path).places
    (run,) = runs_in(files, tmp_path, {"loss": "elsewhere"})
    assert run.path


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        survey(tmp_path / "nothing")
