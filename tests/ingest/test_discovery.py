"""Which files under a path are logs, and whose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.ingest.discovery import find, find_all, may_be_log, run_folder

TRACKERS = Path(__file__).parents[1] / "data" / "trackers"
TABLE = "step,loss\n" + "".join(f"{i},{i % 7}.5\n" for i in range(20))


@pytest.mark.parametrize(
    ("name", "is_log"),
    [
        ("metrics.csv", True),
        ("log.csv.gz", True),
        ("run-x.wandb", True),
        ("mlflow.db", True),
        ("loss", True),
        ("wandb-history.parquet", True),
        ("events.out.tfevents.1.host.json", True),
        ("train-00000-of-00008.parquet", False),
        ("data.tar.gz", False),
        ("similarity_evaluation_sts-dev_results.csv", True),  # of sentence-transformers
        ("binary_classification_evaluation_results.csv", True),
        ("eval_results.json", False),
        ("test_results.csv", False),
        ("model.pt", False),
        ("mlflow.db-wal", False),
        ("config.json", False),
        ("wandb-summary.json", False),
        (".hidden.csv", False),
        ("requirements.txt", False),
    ],
)
def test_names(name: str, is_log: bool) -> None:
    assert may_be_log(Path("runs") / name) is is_log


def test_parts_and_checkpoints_belong_to_the_folder_above() -> None:
    root = Path("/r")
    assert run_folder(Path("/r/a/train"), root) == (Path("/r/a"), "train/")
    assert run_folder(Path("/r/a/checkpoint-20"), root) == (Path("/r/a"), "")
    assert run_folder(Path("/r/a/files"), root) == (Path("/r/a/files"), "")
    tracked = Path("/r/wandb/offline-run-20260102_030405-abc123")
    assert run_folder(tracked / "files", root) == (tracked, "")
    assert run_folder(root, root) == (root, "")


def test_a_run_of_the_file_store_is_one_log(tmp_path: Path) -> None:
    shutil.copytree(TRACKERS / "mlflow" / "mlruns", tmp_path / "mlruns")
    (run_of,) = {path.parent for path in (tmp_path / "mlruns").glob("*/*/meta.yaml")}
    (file,) = find(tmp_path).files
    assert (file.path, file.folder, file.reader.name) == (run_of, run_of, "mlflow")
    metrics = [path for path in (run_of / "metrics").rglob("*") if path.is_file()]
    assert file.size == sum(path.stat().st_size for path in metrics)
    (run,) = load_runs(tmp_path)
    assert run.name == f"{run_of.relative_to(tmp_path)} (nested)"
    assert sorted(len(one) for one in run.series) == [3, 24, 24, 24]
    assert run.notes == ()
    for below in (run_of, run_of / "metrics"):
        (again,) = load_runs(below)
        assert [len(one) for one in again.series] == [len(one) for one in run.series]
        assert again.config == run.config


def test_deleted_runs_are_in_the_bin(tmp_path: Path) -> None:
    shutil.copytree(TRACKERS / "mlflow" / "mlruns", tmp_path / ".trash")
    (tmp_path / "log.csv").write_text(TABLE)
    assert [file.path.name for file in find(tmp_path).files] == ["log.csv"]


def test_every_tracker_in_one_tree() -> None:
    found = {file.reader.name for file in find(TRACKERS).files}
    assert found == {
        *("wandb", "swanlab", "visualdl", "mlflow", "mlflow_db", "trackio"),
        *("comet", "clearml", "dvclive", "parquet"),
    }


def test_what_a_tracker_says_about_itself_is_passed_over(tmp_path: Path) -> None:
    source = next((TRACKERS / "wandb").iterdir())
    run = tmp_path / "wandb" / source.name
    shutil.copytree(source, run)
    (run / "logs").mkdir()
    (run / "logs" / "debug.log").write_text("step: 1 loss: 2\n")
    (run / "files" / "output.log").write_text("step: 1 accuracy: 0.5\n")
    (tmp_path / "wandb" / "debug-internal.log").write_text("step: 1 loss: 2\n")
    files = find(tmp_path).files
    assert {file.path.suffix: file.folder for file in files} == {".wandb": run, ".log": run}
    assert len(files) == 2


def test_a_folder_that_was_packed_is_not_read_twice(tmp_path: Path) -> None:
    packed = next((TRACKERS / "clearml").iterdir())
    shutil.copy(packed, tmp_path)
    shutil.unpack_archive(packed, tmp_path / packed.stem)
    assert [file.path.name for file in find(tmp_path).files] == [packed.name]
    (tmp_path / packed.name).unlink()
    assert "clearml" in {file.reader.name for file in find(tmp_path).files}


def test_several_paths_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.csv").write_text(TABLE)
    found = find_all([tmp_path / "a", tmp_path / "b" / "log.csv", tmp_path / "gone"], tmp_path)
    assert [file.folder.name for file in found.files] == ["a", "b"]


def test_a_path_that_cannot_be_used() -> None:
    with pytest.raises(InputError, match="no such file"):
        find(Path("/nowhere"))
