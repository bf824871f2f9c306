"""Tables and JSON as frameworks lay them out: every series, its points and what was assumed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from tests.notes import english

Cell = float | int | str | None


def level(place: int) -> float:
    return round(2.0 * 0.97**place + 0.1, 4)


def table(names: Sequence[str], rows: Iterable[Sequence[Cell]], between: str = ",") -> str:
    lines = [between.join("" if cell is None else str(cell) for cell in row) for row in rows]
    return "\n".join([between.join(names), *lines]) + "\n"


def jsonl(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def one_run(folder: Path, files: dict[str, str]) -> Run:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (run,) = load_runs(folder)
    return run


def notes_of(run: Run) -> str:
    told = [*run.notes, *(note for source in run.sources for note in source.notes)]
    return "\n".join(english(told))


def check(run: Run, metric: Metric, count: int, first: int, last: int) -> None:
    series = run.get(metric)
    assert series is not None
    assert (len(series), int(series.steps[0]), int(series.steps[-1])) == (count, first, last)


class TestCsv:
    def test_ultralytics(self, tmp_path: Path) -> None:
        terms = ("box_loss", "cls_loss", "dfl_loss")
        names = ["epoch", "time", *(f"train/{t}" for t in terms), "metrics/mAP50(B)"]
        names += [*(f"val/{t}" for t in terms), "lr/pg0", "lr/pg1"]
        epochs = [e for e in range(1, 16) if e != 8]  # one epoch gave NaN and was tried again
        rows = [[e, 9.5 * e, level(e), 1, 2, 0.5, level(e), 1, 3, 0.01, 0.02] for e in epochs]
        run = one_run(tmp_path, {"results.csv": table(names, rows)})
        check(run, Metric.LOSS, 14, 1, 15)
        loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
        assert loss is not None
        assert val_loss is not None
        assert loss.values[3] == pytest.approx(level(4) + 3)
        assert val_loss.values[3] == pytest.approx(level(4) + 4)
        assert "no row for epoch 8" in notes_of(run)
        assert "NaN" in notes_of(run)

    def test_yolov5_pads_its_cells(self, tmp_path: Path) -> None:
        names = ["epoch", "train/box_loss", "train/obj_loss", "train/cls_loss", "x/lr0"]
        rows = [[e, level(e), 1, 2, 0.01] for e in range(12)]
        padded = [[f"{cell:>20}" for cell in row] for row in rows]
        text = table([f"{name:>20}" for name in names], padded)
        run = one_run(tmp_path, {"results.csv": text})
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.LR, 12, 0, 11)

    def test_timm_writes_its_header_again_after_a_resume(self, tmp_path: Path) -> None:
        names = ["epoch", "train_loss", "eval_loss", "eval_top1", "eval_top5", "lr"]
        first = table(names, [[e, level(e), 1, 50, 80, 0.1] for e in range(10)])
        again = table(names, [[e, 0.5, 1, 50, 80, 0.1] for e in range(8, 20)])
        run = one_run(tmp_path, {"summary.csv": first + again})
        check(run, Metric.LOSS, 20, 0, 19)
        (restart,) = run.restarts
        assert (restart.step, restart.last_step) == (8, 9)
        loss = run.get(Metric.LOSS)
        assert loss is not None
        assert loss.values[7] == level(7)
        assert loss.values[8] == 0.5
        assert "the header is repeated 1 time:" in notes_of(run)

    def test_deepspeed_has_a_file_for_each_tag(self, tmp_path: Path) -> None:
        files = {}
        for tag in ("train_loss", "lr", "loss_scale"):
            first = table(["step", tag], [[64 * (i + 1), level(i)] for i in range(10)])
            again = table(["step", tag], [[64 * (i + 1), level(i)] for i in range(8, 20)])
            files[f"Train_Samples_{tag}.csv"] = first + again
        run = one_run(tmp_path, files)
        for metric in (Metric.LOSS, Metric.LR, Metric.LOSS_SCALE):
            check(run, metric, 20, 64, 1280)
        assert "steps are samples" in notes_of(run)
        assert [restart.reason for restart in run.restarts] == ["rewound"]

    def test_fastai(self, tmp_path: Path) -> None:
        names = ["epoch", "train_loss", "valid_loss", "accuracy", "time"]
        rows = [[e, level(e), level(e) + 1, 0.5, f"01:{e:02}"] for e in range(10)]
        run = one_run(tmp_path, {"history.csv": table(names, rows)})
        check(run, Metric.LOSS, 10, 0, 9)
        check(run, Metric.VAL_LOSS, 10, 0, 9)

    def test_flair_with_tabs(self, tmp_path: Path) -> None:
        names = ["EPOCH", "TIMESTAMP", "BAD_EPOCHS", "LEARNING_RATE", "TRAIN_LOSS", "DEV_LOSS"]
        rows = [[e, f"10:{e:02}:11", 0, 0.1, level(e), 1.5] for e in range(1, 12)]
        run = one_run(tmp_path, {"loss.tsv": table(names, rows, "\t")})
        for metric in (Metric.LOSS, Metric.VAL_LOSS, Metric.LR):
            check(run, metric, 11, 1, 11)

    def test_garage(self, tmp_path: Path) -> None:
        names = ["Evaluation/AverageReturn", "Evaluation/Iteration", "GradNorm/train"]
        names += ["TotalEnvSteps", "policy/LossBefore", "policy/LossAfter"]
        rows = [[i, i, 0.5, 4000 * (i + 1), -0.1, -0.2] for i in range(12)]
        run = one_run(tmp_path, {"progress.csv": table(names, rows)})
        check(run, Metric.GRAD_NORM, 12, 4000, 48000)
        check(run, Metric.REWARD, 12, 4000, 48000)
        assert run.get(Metric.LOSS) is None
        assert "no series is clearly the loss" in notes_of(run)

    def test_stable_baselines_has_empty_cells_at_first(self, tmp_path: Path) -> None:
        names = ["rollout/ep_rew_mean", "time/total_timesteps", "train/loss", "train/value_loss"]
        rows = [[i, 2048 * (i + 1), level(i) if i else None, 1 if i else None] for i in range(12)]
        run = one_run(tmp_path, {"progress.csv": table(names, rows)})
        check(run, Metric.REWARD, 12, 2048, 24576)
        check(run, Metric.LOSS, 11, 4096, 24576)

    @pytest.mark.parametrize("between", [",", " ", "   ", "\t", ";"])
    def test_numbers_without_names(self, between: str, tmp_path: Path) -> None:
        rows = [[i * 10, f"{level(i):.4f}", 1e-3] for i in range(1, 20)]
        text = "\n".join(between.join(map(str, row)) for row in rows) + "\n"
        run = one_run(tmp_path, {"loss.csv": text})
        by_tag = {one.tag: one for one in run.series}
        assert set(by_tag) == {"col1", "col2"}
        assert by_tag["col1"].steps.tolist() == list(range(10, 200, 10))
        assert by_tag["col1"].values.tolist() == [level(i) for i in range(1, 20)]
        assert "no header" in notes_of(run)
        assert run.main_loss is None

    def test_one_column_of_numbers(self, tmp_path: Path) -> None:
        run = one_run(tmp_path, {"loss.txt": "".join(f"{level(i)}\n" for i in range(30))})
        (only,) = run.series
        assert (only.tag, only.metric, len(only)) == ("loss", Metric.LOSS, 30)
        assert "row numbers" in notes_of(run)
        (tmp_path / "loss.txt").unlink()
        run = one_run(tmp_path, {"results.txt": "".join(f"{level(i)}\n" for i in range(30))})
        assert {one.metric for one in run.series} == {Metric.OTHER}

    def test_decimal_commas_between_semicolons(self, tmp_path: Path) -> None:
        rows = [[i, str(level(i)).replace(".", ","), "0,001"] for i in range(20)]
        run = one_run(tmp_path, {"log.csv": table(["step", "loss", "lr"], rows, ";")})
        loss, lr = run.get(Metric.LOSS), run.get(Metric.LR)
        assert loss is not None
        assert lr is not None
        assert loss.values.tolist() == [level(i) for i in range(20)]
        assert set(lr.values) == {0.001}
        assert "a comma is the decimal sign" in notes_of(run)

    def test_commas_between_thousands_are_none(self, tmp_path: Path) -> None:
        rows = [[f"{1000 * i:,}", level(i)] for i in range(1, 20)]
        run = one_run(tmp_path, {"log.tsv": table(["step", "loss"], rows, "\t")})
        check(run, Metric.LOSS, 19, 1000, 19000)

    def test_long_tables(self, tmp_path: Path) -> None:
        names = ["run", "step", "metric", "value"]
        rows = [["a", i, m, level(i)] for i in range(12) for m in ("train/loss", "val/loss")]
        run = one_run(tmp_path, {"m.csv": table(names, rows)})
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.VAL_LOSS, 12, 0, 11)

    def test_a_long_table_of_two_runs_keeps_them_apart(self, tmp_path: Path) -> None:
        rows = [[r, i, "loss", level(i)] for r in "ab" for i in range(12)]
        run = one_run(tmp_path, {"m.csv": table(["run", "step", "metric", "value"], rows)})
        assert {one.tag for one in run.series} == {"a/loss", "b/loss"}
        assert all(len(one) == 12 for one in run.series)

    def test_epoch_columns_without_gaps_are_not_remarked(self, tmp_path: Path) -> None:
        for epochs in (range(10), range(0, 50, 5), [1, 2], [0, 90]):
            text = table(["epoch", "loss"], [[e, level(e)] for e in epochs])
            assert "no row for" not in notes_of(one_run(tmp_path, {"log.csv": text}))

    def test_a_running_mean_is_remarked(self, tmp_path: Path) -> None:
        text = table(["step", "running_loss"], [[i, level(i)] for i in range(20)])
        assert "running mean" in notes_of(one_run(tmp_path, {"log.csv": text}))
        text = table(["step", "loss"], [[i, level(i)] for i in range(20)])
        assert "running mean" not in notes_of(one_run(tmp_path, {"log.csv": text}))

    def test_two_values_at_one_step(self, tmp_path: Path) -> None:
        text = table(["step", "loss"], [[i // 2, level(i)] for i in range(40)])
        run = one_run(tmp_path, {"log.csv": text})
        loss = run.get(Metric.LOSS)
        assert loss is not None
        assert loss.values.tolist() == [level(i) for i in range(1, 40, 2)]
        assert "20 points repeat a step" in notes_of(run)


class TestJson:
    def test_history_of_keras(self, tmp_path: Path) -> None:
        columns = {"loss": [level(i) for i in range(10)], "val_loss": [1.0] * 9 + [math.nan]}
        for indent in (None, 2):
            text = json.dumps(columns, indent=indent)
            run = one_run(tmp_path, {"history.json": text})
            check(run, Metric.LOSS, 10, 0, 9)
            val_loss = run.get(Metric.VAL_LOSS)
            assert val_loss is not None
            assert math.isnan(val_loss.values[-1])

    def test_history_as_pandas_writes_it(self, tmp_path: Path) -> None:
        columns = {"loss": {str(i): level(i) for i in range(12)}, "lr": {"0": 0.1, "11": 0.2}}
        run = one_run(tmp_path, {"history.json": json.dumps(columns)})
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.LR, 2, 0, 11)

    def test_llamafactory(self, tmp_path: Path) -> None:
        rows: list[dict[str, Any]] = [
            {
                "current_steps": 10 * (i + 1), "total_steps": 200, "loss": level(i), "lr": 1e-4,
                "epoch": 0.1 * (i + 1), "elapsed_time": "0:00:10", "percentage": 5.0,
            }
            for i in range(20)
        ]  # fmt: skip
        rows.append({"current_steps": 200, "total_steps": 200, "eval_loss": 1.0, "epoch": 2.0})
        run = one_run(tmp_path, {"trainer_log.jsonl": jsonl(rows)})
        check(run, Metric.LOSS, 20, 10, 200)
        check(run, Metric.VAL_LOSS, 1, 200, 200)
        assert run.config["total_steps"] == 200

    def test_swift_hides_the_step_in_text(self, tmp_path: Path) -> None:
        rows = [
            {"loss": level(i), "grad_norm": 0.5, "global_step/max_steps": f"{5 * (i + 1)}/100"}
            for i in range(20)
        ]
        run = one_run(tmp_path, {"logging.jsonl": jsonl(rows)})
        check(run, Metric.LOSS, 20, 5, 100)
        assert run.config["total_steps"] == 100

    def test_mmdet_counts_iterations_anew_in_each_epoch(self, tmp_path: Path) -> None:
        config = "optimizer = dict(type='SGD', lr=0.02)\nfp16 = dict(loss_scale=512.0)\n"
        rows: list[dict[str, Any]] = [{"env_info": "x", "seed": 3, "config": config}]
        for epoch in (1, 2, 3):
            for i in (50, 100, 150, 200):
                row = {"mode": "train", "epoch": epoch, "iter": i, "lr": 0.02, "data_time": 0.1}
                rows.append(row | {"loss": level(i), "grad_norm": 1.5, "time": 0.3})
            rows.append({"mode": "val", "epoch": epoch, "iter": 77, "lr": 0.02, "bbox_mAP": 0.25})
        run = one_run(tmp_path, {"20200101_000000.log.json": jsonl(rows)})
        check(run, Metric.LOSS, 12, 50, 600)
        (quality,) = run.all(Metric.VAL_METRIC)
        assert quality.steps.tolist() == [200, 400, 600]
        assert (run.config["optimizer"], run.config["lr"], run.config["seed"]) == ("sgd", 0.02, 3)
        step_time = run.get(Metric.STEP_TIME)
        assert step_time is not None
        assert step_time.tag == "time"

    def test_detectron2_writes_medians(self, tmp_path: Path) -> None:
        rows = [
            {
                "iteration": 20 * i + 19, "total_loss": level(i), "loss_cls": 0.5, "lr": 0.001,
                "time": 0.3, "data_time": 0.1, "eta_seconds": 9.0, "[metric]grad_scaler": 512.0,
            }
            for i in range(20)
        ]  # fmt: skip
        run = one_run(tmp_path, {"metrics.json": jsonl(rows)})
        for metric in (Metric.LOSS, Metric.LR, Metric.STEP_TIME, Metric.LOSS_SCALE):
            check(run, metric, 20, 19, 399)
        assert "medians over 20 iterations" in notes_of(run)

    def test_mae_and_deit(self, tmp_path: Path) -> None:
        rows = [
            {
                "train_lr": 1e-4,
                "train_loss": level(i),
                "test_loss": 1.0,
                "test_acc1": 50.0,
                "epoch": i,
            }
            for i in range(20)
        ]
        run = one_run(tmp_path, {"log.txt": jsonl(rows)})
        for metric in (Metric.LOSS, Metric.VAL_LOSS, Metric.LR):
            check(run, metric, 20, 0, 19)

    def test_allennlp_has_a_file_for_each_epoch(self, tmp_path: Path) -> None:
        files = {
            f"metrics_epoch_{e}.json": json.dumps(
                {
                    "best_epoch": e, "training_duration": "0:00:10", "epoch": e,
                    "training_loss": level(e), "validation_loss": 1.0, "validation_accuracy": 0.5,
                },
                indent=2,
            )
            for e in range(12)
        }  # fmt: skip
        run = one_run(tmp_path, files)
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.VAL_LOSS, 12, 0, 11)
        loss = run.get(Metric.LOSS)
        assert loss is not None
        assert loss.values.tolist() == [level(e) for e in range(12)]
        assert run.restarts == ()

    def test_chainer(self, tmp_path: Path) -> None:
        rows = [
            {
                "main/loss": level(e),
                "validation/main/loss": 1.0,
                "epoch": e + 1,
                "iteration": 60 * e,
            }
            for e in range(10)
        ]
        run = one_run(tmp_path, {"log": json.dumps(rows, indent=4)})
        check(run, Metric.LOSS, 10, 0, 540)
        check(run, Metric.VAL_LOSS, 10, 0, 540)

    def test_stylegan_writes_statistics(self, tmp_path: Path) -> None:
        def of(value: float) -> dict[str, float]:
            return {"num": 100, "mean": value, "std": 0.1}

        rows = [
            {"Loss/G/loss": of(level(i)), "Loss/D/loss": of(1), "Progress/tick": of(i)}
            for i in range(20)
        ]
        run = one_run(tmp_path, {"stats.jsonl": jsonl(rows)})
        by_tag = {one.tag: one for one in run.series}
        assert set(by_tag) == {"Loss/G/loss", "Loss/D/loss"}
        assert by_tag["Loss/G/loss"].values.tolist() == [level(i) for i in range(20)]
        assert run.get(Metric.LOSS) is None  # of two players neither is the loss

    def test_maxtext_tells_norms_before_and_after_clipping(self, tmp_path: Path) -> None:
        rows = [
            {
                "learning/loss": level(i), "learning/grad_norm": 1.0, "learning/raw_grad_norm": 3.0,
                "learning/current_learning_rate": 1e-4, "step": float(i),
            }
            for i in range(20)
        ]  # fmt: skip
        run = one_run(tmp_path, {"metrics.txt": jsonl(rows)})
        before, after = run.get(Metric.GRAD_NORM), run.get(Metric.GRAD_NORM_CLIPPED)
        assert before is not None
        assert after is not None
        assert (before.tag, after.tag) == ("learning/raw_grad_norm", "learning/grad_norm")

    def test_sacred(self, tmp_path: Path) -> None:
        content = {
            "training.loss": {
                "steps": list(range(0, 200, 10)),
                "timestamps": [f"2024-01-01T00:00:{i:02}" for i in range(20)],
                "values": [math.nan if i == 7 else level(i) for i in range(20)],
            },
            "validation.loss": {"steps": [50, 100], "timestamps": ["", ""], "values": [1.0, 0.5]},
        }
        run = one_run(tmp_path, {"1/metrics.json": json.dumps(content, indent=2)})
        check(run, Metric.LOSS, 20, 0, 190)
        check(run, Metric.VAL_LOSS, 2, 50, 100)
        loss = run.get(Metric.LOSS)
        assert loss is not None
        assert np.flatnonzero(np.isnan(loss.values)).tolist() == [7]
        assert loss.wall_times is not None
        assert np.diff(loss.wall_times).tolist() == [1.0] * 19

    def test_rllib_repeats_its_configuration(self, tmp_path: Path) -> None:
        learner = {"total_loss": 1.0, "policy_loss": 0.1, "grad_gnorm": 2.0, "cur_lr": 1e-4}
        rows = [
            {
                "episode_reward_mean": 10.0 * i, "training_iteration": i + 1,
                "info": {"learner": {"default_policy": {"learner_stats": learner}}},
                "config": {"lr": 1e-4, "train_batch_size": 4000, "env_config": {"a": [1, 2]}},
                "hist_stats": {"episode_reward": [1, 2, 3]},
            }
            for i in range(12)
        ]  # fmt: skip
        run = one_run(tmp_path, {"result.json": jsonl(rows)})
        for metric in (Metric.LOSS, Metric.REWARD, Metric.GRAD_NORM, Metric.LR):
            check(run, metric, 12, 1, 12)
        assert (run.config["lr"], run.config["batch_size"]) == (1e-4, 4000)
        assert not any(one.tag.startswith("config") for one in run.series)

    def test_big_vision_mixes_rows(self, tmp_path: Path) -> None:
        rows: list[dict[str, Any]] = []
        for i in range(20):
            rows.append({"step": i * 50, "training_loss": level(i), "l2_grads": 1.0})
            if i % 4 == 3:
                rows.append({"step": i * 50, "val/loss": 1.0, "val/prec@1": 0.5})
        run = one_run(tmp_path, {"big_vision_metrics.txt": jsonl(rows)})
        check(run, Metric.LOSS, 20, 0, 950)
        check(run, Metric.VAL_LOSS, 5, 150, 950)
        check(run, Metric.GRAD_NORM, 20, 0, 950)

    def test_numbers_as_text(self, tmp_path: Path) -> None:
        rows = [
            {
                "num_updates": str(10 * i),
                "loss": f"{level(i):.3f}",
                "gnorm": "nan" if i == 5 else "1",
            }
            for i in range(1, 13)
        ]
        run = one_run(tmp_path, {"log.jsonl": jsonl(rows)})
        check(run, Metric.LOSS, 12, 10, 120)
        norm = run.get(Metric.GRAD_NORM)
        assert norm is not None
        assert norm.steps[np.isnan(norm.values)].tolist() == [50]

    def test_a_record_for_each_value(self, tmp_path: Path) -> None:
        rows = [
            {"metric": m, "value": level(i), "step": i}
            for i in range(12)
            for m in ("loss", "val_loss")
        ]
        run = one_run(tmp_path, {"log.jsonl": jsonl(rows)})
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.VAL_LOSS, 12, 0, 11)

    def test_one_array_of_nested_records(self, tmp_path: Path) -> None:
        rows = [{"step": i, "train": {"loss": level(i)}, "val": {"loss": 1.0}} for i in range(12)]
        run = one_run(tmp_path, {"log.json": json.dumps(rows)})
        check(run, Metric.LOSS, 12, 0, 11)
        check(run, Metric.VAL_LOSS, 12, 0, 11)


class TestFolders:
    def test_the_same_file_in_two_folders_is_two_runs(self, tmp_path: Path) -> None:
        for name, factor in (("a", 1.0), ("b", 1.1)):
            (tmp_path / name).mkdir()
            rows = [[i, level(i) * factor] for i in range(20)]
            (tmp_path / name / "metrics.csv").write_text(table(["step", "loss"], rows))
        runs = load_runs(tmp_path)
        assert [run.name for run in runs] == ["a", "b"]

    def test_batches_and_epochs_beside_each_other_are_not_mixed(self, tmp_path: Path) -> None:
        batches = table(["batch", "loss"], [[i, level(i)] for i in range(200)])
        epochs = table(["epoch", "loss", "val_loss"], [[i, level(i), 1.0] for i in range(5)])
        (tmp_path / "batch.csv").write_text(batches)
        (tmp_path / "epoch.csv").write_text(epochs)
        lengths = {len(loss) for run in load_runs(tmp_path) if (loss := run.get(Metric.LOSS))}
        assert lengths <= {200, 5}

    def test_a_counter_that_starts_again_is_another_attempt(self, tmp_path: Path) -> None:
        rows = [[i, level(i)] for i in range(50)] + [[i, level(i)] for i in range(30)]
        (tmp_path / "log.csv").write_text(table(["step", "loss"], rows))
        runs = load_runs(tmp_path)
        assert [len(run.series[0]) for run in runs] == [50, 30]
        assert "attempt 2 of 2" in "".join(english(runs[1].notes))
