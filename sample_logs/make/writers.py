"""Writes rows in the layouts people have on disk: event files, CSV, JSONL, trainer_state.json.

Wall-clock times are nominal (a fixed start, a fixed time per step): these models train in seconds,
and a log should not tell how busy the machine was. All other figures are written as measured.
"""

from __future__ import annotations

import csv
import json
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loop import Row

START = 1_735_700_000.0  # seconds since 1970 at step 0
SECONDS_PER_STEP = 0.4
DIGITS = 6  # significant digits in text formats


def clock(step: float, start: float = START) -> float:
    """Return the nominal time at a step."""
    return start + SECONDS_PER_STEP * step


def short(value: float) -> float | int:
    """Return the value with six significant digits, whole numbers as int."""
    if not math.isfinite(value):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) >= 1 else rounded


def every(rows: Iterable[Row], stride: int) -> list[Row]:
    """Return the training rows at multiples of `stride` and all evaluation rows."""
    return [row for row in rows if "loss" not in row or row["step"] % stride == 0]


def window_means(rows: Iterable[Row], stride: int) -> list[Row]:
    """Return rows every `stride` steps whose loss is the mean since the last one, as HF logs it."""
    result: list[Row] = []
    losses: list[float] = []
    for row in rows:
        if "loss" not in row:
            result.append(row)
            continue
        losses.append(row["loss"])
        if row["step"] % stride == 0:
            result.append({**row, "loss": sum(losses) / len(losses)})
            losses.clear()
    return result


def renamed(row: Row, names: Mapping[str, str]) -> dict[str, float]:
    """Return the row's values under the tags of the log; what has no tag is not logged."""
    return {tag: row[key] for key, tag in names.items() if key in row}


def write_events_plain(
    path: Path, rows: Sequence[Row], names: Mapping[str, str], start: float = START
) -> None:
    """Write an event file with plain `simple_value` scalars, by tensorboardX."""
    from tensorboardX import SummaryWriter

    path.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path) as folder:
        with SummaryWriter(folder) as writer:
            for row in rows:
                for tag, value in renamed(row, names).items():
                    moment = clock(row["step"], start)
                    writer.add_scalar(tag, value, int(row["step"]), walltime=moment)
        (written,) = Path(folder).iterdir()
        written.rename(path / event_file_name(start))


def write_events_tensor(
    path: Path, rows: Sequence[Row], names: Mapping[str, str], start: float = START
) -> None:
    """Write an event file with tensor scalars, the way TensorFlow 2 writes them."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    path.mkdir(parents=True, exist_ok=True)
    with (path / event_file_name(start)).open("wb") as file:
        writer = RecordWriter(file)
        head = Event(wall_time=start, file_version="brain.Event:2")
        writer.write(head.SerializeToString())
        known: set[str] = set()
        for row in rows:
            for tag, value in renamed(row, names).items():
                event = Event(wall_time=clock(row["step"], start), step=int(row["step"]))
                entry = event.summary.value.add(tag=tag)
                entry.tensor.dtype = 1  # DT_FLOAT
                entry.tensor.tensor_shape.SetInParent()
                entry.tensor.float_val.append(value)
                if tag not in known:
                    entry.metadata.plugin_data.plugin_name = "scalars"
                    entry.metadata.data_class = 1  # scalar
                    known.add(tag)
                writer.write(event.SerializeToString())


def event_file_name(start: float) -> str:
    """Return the usual name of an event file, with a neutral host."""
    return f"events.out.tfevents.{start:.0f}.trainer.1.0"


def write_csv(path: Path, rows: Sequence[Row], names: Mapping[str, str]) -> None:
    """Write one wide table; evaluation figures stand in the row of their step."""
    merged: dict[float, dict[str, float]] = {}
    for row in rows:
        merged.setdefault(row["step"], {}).update(renamed(row, names))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(names.values()))
        table.writeheader()
        for cells in merged.values():
            table.writerow({tag: short(value) for tag, value in cells.items()})


def write_lightning(
    path: Path, rows: Sequence[Row], names: Mapping[str, str], hparams: Mapping[str, Any]
) -> None:
    """Write Lightning's layout: a sparse metrics.csv (steps from 0, whole epochs) and hparams.yaml.

    The learning-rate monitor has rows of its own, as it has in Lightning.
    """
    folder = path / "lightning_logs" / "version_0"
    folder.mkdir(parents=True)
    columns = ["epoch", *(n for k, n in names.items() if k not in ("epoch", "step")), "step"]
    with (folder / "metrics.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, sorted(columns))
        table.writeheader()
        for row in rows:
            stamp = {"step": int(row["step"]) - 1}
            values = {k: short(v) for k, v in renamed(row, names).items()}
            rate = values.pop(names.get("lr", ""), None)
            if rate is not None:
                table.writerow({**stamp, names["lr"]: rate})
            epoch = {"epoch": math.ceil(row["epoch"]) - 1} if "epoch" in row else {}
            values.pop(names.get("epoch", ""), None)
            table.writerow({**stamp, **epoch, **values})
    write_hparams(folder / "hparams.yaml", hparams)


def write_hparams(path: Path, hparams: Mapping[str, Any]) -> None:
    """Write flat settings as YAML."""
    lines = []
    for key, value in hparams.items():
        if isinstance(value, list | tuple):
            lines += [f"{key}:", *(f"- {item}" for item in value)]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    path.write_text("\n".join(lines) + "\n")


def write_jsonl(path: Path, rows: Sequence[Row], names: Mapping[str, str]) -> None:
    """Write one JSON object per row; NaN stands as NaN, as Python's json writes it."""
    with path.open("w") as file:
        for row in rows:
            cells = {tag: short(value) for tag, value in renamed(row, names).items()}
            file.write(json.dumps(cells) + "\n")


def write_trainer_state(
    path: Path, rows: Sequence[Row], names: Mapping[str, str], settings: Mapping[str, Any]
) -> None:
    """Write `checkpoint-N/trainer_state.json` with the history up to step N."""
    last = int(rows[-1]["step"])
    folder = path / f"checkpoint-{last}"
    folder.mkdir(parents=True)
    history = [
        {tag: short(value) for tag, value in sorted(renamed(row, names).items())} for row in rows
    ]
    state = {
        "best_global_step": None,
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": history[-1]["epoch"],
        "global_step": last,
        "is_hyper_param_search": False,
        "log_history": history,
        **settings,
    }
    text = json.dumps(state, indent=0, separators=(",", ":"))
    (folder / "trainer_state.json").write_text(text + "\n")


def write_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Write the run's settings as JSON beside the log."""
    path.write_text(json.dumps(settings, indent=2) + "\n")
