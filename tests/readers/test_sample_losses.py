from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples_factory import rows, write_csv

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.readers._sniff import HEAD_BYTES
from spikedoc.readers.sample_losses import READER


def accepts(path: Path) -> bool:
    return READER.accepts(path, path.read_bytes()[:HEAD_BYTES])


@pytest.mark.parametrize("name", ["sample_id", "image path", "Filename", "Sample"])
def test_many_samples_at_a_step_are_no_run(tmp_path: Path, name: str) -> None:
    path = write_csv(tmp_path / "losses.csv", name=name)
    assert accepts(path)
    with pytest.raises(InputError, match=r"to rank them: spikedoc samples losses\.csv"):
        load_runs(path)


def test_json_is_known_too(tmp_path: Path) -> None:
    records = [{"step": s, "sample_id": n, "loss": v} for _, s, n, v in rows()]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "a.json").write_text(json.dumps(records))
    assert accepts(tmp_path / "a.jsonl")
    assert accepts(tmp_path / "a.json")


@pytest.mark.parametrize(
    "text",
    [
        "step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(50)),
        # pandas writes its index without being asked
        "index,step,loss\n" + "".join(f"{i},{i * 10},0.5\n" for i in range(50)),
        "index,epoch,step,loss\n" + "".join(f"{i},{i // 30},{i % 30},0.5\n" for i in range(90)),
        "sample_id,epoch,step,loss\n" + "".join(f"{i},{i // 30},{i % 30},1\n" for i in range(90)),
        "index,seed,step,loss\n" + "".join(f"{i},{i % 3},{i // 3},0.5\n" for i in range(90)),
        "sample_id,step,rank,loss\n" + "".join(f"{i},{i // 4},{i % 4},0.5\n" for i in range(90)),
        # samples seen so far
        "sample_idx,epoch,loss\n" + "".join(f"{i * 32},{i // 30},0.5\n" for i in range(90)),
        "sample_id,lr,batch_size,loss\n" + "".join(f"{i},0.1,8,0.5\n" for i in range(30)),
        "instance_id,loss\n" + "".join(f"i-0abc,{1 / (i + 1)}\n" for i in range(50)),
        # one sample a step: plain SGD
        "step,sample_id,loss\n" + "".join(f"{i},{i % 7},0.5\n" for i in range(50)),
        # several runs side by side
        "step,filename,loss\n" + "".join(f"{i // 3},run{i % 3}.log,0.5\n" for i in range(60)),
        "epoch,idx,loss\n" + "".join(f"{i // 5},{i % 5},0.5\n" for i in range(60)),
        "sample_id,accuracy\n" + "".join(f"{i},0.5\n" for i in range(50)),
    ],
)
def test_logs_of_runs_are_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    assert not accepts(tmp_path / "log.csv")


def test_beside_a_log_it_is_left_out_with_a_note(tmp_path: Path) -> None:
    write_csv(tmp_path / "samples.csv")
    (tmp_path / "log.csv").write_text(
        "step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(50))
    )
    (run,) = load_runs(tmp_path)
    assert [source.reader for source in run.sources] == ["csv"]
    assert any("samples.csv: losses of single samples" in note.en for note in run.notes)
