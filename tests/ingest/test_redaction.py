"""A run after the door: no private setting, no secret in any of its texts, all else as it was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from spikedoc.ingest import load_frame, load_runs
from spikedoc.ingest.redaction import redacted_run
from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, Piece, Restart, Run, Series, Source
from spikedoc.text import Text

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "hf_" + BODY


def series(name: str, source: str = "m.csv") -> Series:
    steps = np.arange(3)
    return Series(Metric.LOSS, name, name, steps, steps * 1.0, source=source)


def test_every_text_of_a_run() -> None:
    piece = Piece("/home/ann/a.log", "b.log")
    run = Run(
        name=f"run {TOKEN}",
        path="/home/ann/runs/a",
        series=(series("loss"), series(f"loss {TOKEN}", "/home/ann/m.csv")),
        restarts=(Restart(5, 4, "new-file", piece), Restart(9, 8, "pause")),
        config={"lr": 0.1, "hub_token": TOKEN, "data": "/home/ann/d", f"x {TOKEN}": True},
        checkpoints=(Checkpoint(3, "/home/ann/runs/a/3.pt"),),
        sources=(Source("/home/ann/m.csv", "csv", 5, (Text(f"saw {TOKEN}", f"见到 {TOKEN}"),)),),
        events=((3, f"error {TOKEN}"), (None, "overflow")),
        notes=(Text("mail ann@uni.edu", "邮件 ann@uni.edu"),),
    )
    seen = redacted_run(run)
    assert (seen.name, seen.path) == ("run ***", "~/runs/a")
    assert seen.notes == (Text("mail ***", "邮件 ***"),)
    assert [one.name for one in seen.series] == ["loss", "loss ***"]
    assert seen.series[0] is run.series[0]
    assert seen.series[1].source == seen.sources[0].path == "~/m.csv"
    assert seen.sources[0].notes == (Text("saw ***", "见到 ***"),)
    assert seen.restarts[0].piece == Piece("~/a.log", "b.log")
    assert seen.restarts[1] is run.restarts[1]
    assert seen.config == {"lr": 0.1, "data": "~/d", "x ***": True}
    assert seen.checkpoints == (Checkpoint(3, "~/runs/a/3.pt"),)
    assert seen.events == ((3, "error ***"), (None, "overflow"))


def test_two_names_with_secrets_stay_two(tmp_path: Path) -> None:
    tags = [f"loss/hf_{BODY}{end}" for end in "ab"]
    rows = [{"step": step, **dict.fromkeys(tags, 1.0 / (step + 1))} for step in range(50)]
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    (run,) = load_runs(file)
    names = [one.name for one in run.series]
    assert len(set(names)) == len(names) == 2
    assert not any(BODY in one for one in names)


def test_tables_in_memory_go_through_the_same_door() -> None:
    run = load_frame({"loss": [3.0, 2.0, 1.0], f"acc {TOKEN}": [0.1, 0.2, 0.3]})
    assert not any(BODY in one.tag for one in run.series)
