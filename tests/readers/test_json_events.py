"""Records of a JSON log that tell of a restart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spikedoc.ingest.load import iter_runs
from spikedoc.model.run import Run
from spikedoc.readers._json_events import MOST_EVENTS, JsonEvents


def logged(tmp_path: Path, event: dict[str, Any], stride: int = 1, back: int = 0) -> Run:
    """Return the run of a log of 100 records with `event` before step 50 strides."""
    steps = list(range(0, 50 * stride, stride))
    again = list(range((50 - back) * stride, 100 * stride, stride))
    rows: list[dict[str, Any]] = [{"step": s, "loss": 2.0 - s / 1e4} for s in steps]
    rows += [event, *({"step": s, "loss": 1.9 - s / 1e4} for s in again)]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (run,) = iter_runs(path)
    return run


@pytest.mark.parametrize("stride", [1, 10])
@pytest.mark.parametrize(
    "event",
    [
        {"event": "resume", "step": 50},
        {"event": "resumed", "global_step": 50, "ts": 1.5},
        {"type": "checkpoint loaded", "step": 50, "path": "out/a.pt"},
        {"event": "load_checkpoint"},
        {"event": "restart"},
        {"resumed_from": 50},
        {"resumed_from": "out/step_49.pt"},
        {"message": "Resuming from checkpoint at step 50"},
    ],
)
def test_a_record_of_a_restart_is_one(tmp_path: Path, event: dict[str, Any], stride: int) -> None:
    event = {k: v * stride if isinstance(v, int) else v for k, v in event.items()}
    run = logged(tmp_path, event, stride)
    assert [(r.step, r.last_step) for r in run.restarts] == [(50 * stride, 49 * stride)]
    assert [(s.name, len(s)) for s in run.series] == [("loss", 100)]


@pytest.mark.parametrize(
    "event",
    [
        {"event": "eval", "step": 50},
        {"event": "checkpoint saved", "step": 50},
        {"event": "restart of the data loader", "step": 50},
        {"message": "loaded pretrained weights", "step": 50},
        {"status": "running", "step": 50},
    ],
)
def test_other_records_are_none(tmp_path: Path, event: dict[str, Any]) -> None:
    assert logged(tmp_path, event).restarts == ()


def test_a_run_that_goes_back_is_told_once(tmp_path: Path) -> None:
    run = logged(tmp_path, {"event": "resume", "step": 40}, back=10)
    assert [r.step for r in run.restarts] == [40]
    assert len(run.restarts) == 1


def test_a_setting_beside_a_quantity_is_no_event() -> None:
    events = JsonEvents()
    assert not events.see({"step": 3, "loss": 1.0, "resumed_from": 2})
    assert not events.see({"step": 4, "loss": 1.0, "event": "resume"})
    assert events.all() == ()


def test_events_are_bounded() -> None:
    events = JsonEvents()
    for step in range(3 * MOST_EVENTS):
        assert events.see({"event": "resume", "step": step})
    assert len(events.all()) == MOST_EVENTS
