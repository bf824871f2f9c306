"""Comet's archives, and hostile zips."""

from __future__ import annotations

import json
import math
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers import _archive
from spikedoc.readers.comet import READER
from tests.notes import english

DATA = next((Path(__file__).parents[1] / "data" / "trackers" / "comet").glob("*.zip"))


def metric(name: str, value: object, step: int | None = None) -> str:
    content = {"metricName": name, "metricValue": value, "step": step}
    return json.dumps({"payload": {"metric": content, "local_timestamp": 1.8e12}})


def archive(path: Path, messages: str, **more: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("experiment.json", "{}")
        file.writestr("messages.json", messages)
        for name, content in more.items():
            file.writestr(name, content)
    return path


def head(path: Path) -> bytes:
    return path.read_bytes()[:65536]


def test_every_point_the_writer_logged() -> None:
    assert READER.accepts(DATA, head(DATA))
    table = READER.read(DATA)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {
        "train_loss": 24,
        "lr": 24,
        "validation/loss": 1,
        "process duration": 1,
    }
    expected = [2.0 / (i + 1) for i in range(24)]
    expected[20:22] = [math.nan, math.inf]
    np.testing.assert_array_equal(found["train_loss"].values, expected)
    assert found["train_loss"].steps.tolist() == list(range(0, 72, 3))
    assert table.config == {"lr": 0.001, "optimizer": "adamw", "nested/a": 1}


def test_metrics_without_a_step_count_themselves(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", "\n".join(metric("loss", v) for v in (3, 2, 1)))
    (loss,) = READER.read(path).series
    assert loss.steps.tolist() == [0, 1, 2]


def test_what_is_no_message_is_counted(tmp_path: Path) -> None:
    text = "\n".join([metric("loss", "NaN", 4), "{cut", "[]", "7", metric("loss", "text", 5)])
    table = READER.read(archive(tmp_path / "x.zip", text))
    assert table.series[0].steps.tolist() == [4]
    assert english(table.notes) == ("1 message that could not be decoded was left out",)


def test_an_experiment_without_metrics(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without metrics"):
        READER.read(archive(tmp_path / "x.zip", "{}"))


# Hostile archives


def test_names_that_lead_out_of_the_folder_write_nothing(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = archive(inside / "x.zip", metric("loss", 1, 1), **{"../../evil.json": "x", "/abs": "y"})
    READER.read(path)
    assert [p.name for p in tmp_path.rglob("*")] == ["inside", "x.zip"]
    fake = tmp_path / "fake.zip"
    with zipfile.ZipFile(fake, "w") as file:
        file.writestr("../messages.json", metric("loss", 1, 1))
        file.writestr("../experiment.json", "{}")
    assert not READER.accepts(fake, head(fake))


def test_a_bomb_is_read_up_to_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archive, "MOST_UNPACKED", 1_000_000)
    bomb = metric("loss", 1, 1) + "\n" + "\n" * 30_000_000
    path = archive(tmp_path / "x.zip", bomb)
    assert path.stat().st_size < 100_000
    table = READER.read(path)
    assert table.series[0].values.size == 1
    assert any("only the first" in note.en for note in table.notes)


def test_one_endless_line_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archive, "MOST_UNPACKED", 10_000_000)
    path = archive(tmp_path / "x.zip", metric("loss", 1, 1) + "\n" + "[" * 20_000_000)
    assert READER.read(path).series[0].values.size == 1


def test_a_directory_of_millions_of_files_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", metric("loss", 1, 1))
    content = bytearray(path.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", 500_000_000)
    path.write_bytes(content)
    assert not READER.accepts(path, head(path))
    with pytest.raises(InputError, match="too many files"):
        READER.read(path)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.99])
def test_cut_archives(tmp_path: Path, share: float) -> None:
    path = tmp_path / "x.zip"
    content = DATA.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert not READER.accepts(path, head(path))
    with pytest.raises(InputError):
        READER.read(path)


def test_damaged_data_are_read_up_to_the_damage(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=5000)
    rows = "\n".join(metric("loss", float(v), i) for i, v in enumerate(values))
    path = archive(tmp_path / "x.zip", rows)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    table = READER.read(path)
    kept = table.series[0].values.size
    assert 0 < kept <= 5000
    assert any("damaged" in note.en for note in table.notes)


def test_a_password_is_no_traceback(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", metric("loss", 1, 1))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            content[place + offset] |= 1
    path.write_bytes(content)
    with pytest.raises(InputError):
        READER.read(path)
