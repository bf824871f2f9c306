"""Compressed logs: read, cut, made to fill the disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from pathlib import Path

import pytest
import zstandard

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.ingest.packing import packed_head, packing_of, plain_path, unpacked
from spikedoc.text import Text

TABLE = b"step,loss\n" + b"".join(b"%d,%f\n" % (i, 1 / (i + 1)) for i in range(5000))
PACKED = {
    "gzip": (".gz", gzip.compress(TABLE)),
    "xz": (".xz", lzma.compress(TABLE)),
    "bzip2": (".bz2", bz2.compress(TABLE)),
    "zstd": (".zst", zstandard.compress(TABLE)),
}


def quick_xz(content: bytes) -> bytes:
    return lzma.compress(content, preset=0)


def quick_bz2(content: bytes) -> bytes:
    """Blocks of 100 kB: of a block that is cut nothing can be read."""
    return bz2.compress(content, 1)


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("packing", PACKED)
def test_the_same_as_the_plain_log(tmp_path: Path, packing: str) -> None:
    suffix, content = PACKED[packing]
    path = written(tmp_path, f"log.csv{suffix}", content)
    assert packing_of(content) == packing
    (run,) = load_runs(path)
    assert run.name == path.name
    assert run.series[0].steps.tolist() == list(range(5000))
    assert run.sources[0].path == str(path)
    (again,) = load_runs(tmp_path)
    assert len(again.series[0]) == 5000


@pytest.mark.parametrize("packing", PACKED)
def test_several_streams_in_one_file(tmp_path: Path, packing: str) -> None:
    suffix, _ = PACKED[packing]
    pack = {
        "gzip": gzip.compress,
        "xz": lzma.compress,
        "bzip2": bz2.compress,
        "zstd": zstandard.compress,
    }[packing]
    content = pack(TABLE[:20_000]) + pack(TABLE[20_000:])
    path = written(tmp_path, f"log.csv{suffix}", content)
    notes: list[Text] = []
    with unpacked(path, packing, notes) as plain:
        assert plain.read_bytes() == TABLE
        assert plain.name == "log.csv"
    assert not plain.exists()
    assert notes == []


@pytest.mark.parametrize("packing", PACKED)
def test_cut_while_it_was_written(tmp_path: Path, packing: str) -> None:
    rows = b"".join(b"%d,%f\n" % (i, (i * 7919 % 1009) / 7) for i in range(40_000))
    pack = {
        "gzip": gzip.compress,
        "xz": quick_xz,
        "bzip2": quick_bz2,
        "zstd": zstandard.compress,
    }[packing]
    content = pack(b"step,loss\n" + rows)
    path = written(tmp_path, f"log.csv{PACKED[packing][0]}", content[: len(content) * 3 // 4])
    (run,) = load_runs(path)
    assert 1_000 < len(run.series[0]) < 40_000
    assert any("end early" in note.en for source in run.sources for note in source.notes)


@pytest.mark.parametrize("packing", PACKED)
def test_a_bomb_ends_at_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: str
) -> None:
    monkeypatch.setattr("spikedoc.ingest.packing.UNPACKED_ANYWAY", 1_000_000)
    monkeypatch.setattr("spikedoc.ingest.packing.MOST_UNPACKED", 3_000_000)
    pack = {
        "gzip": gzip.compress,
        "xz": lzma.compress,
        "bzip2": bz2.compress,
        "zstd": zstandard.compress,
    }[packing]
    bomb = pack(TABLE + b"\n" * 30_000_000)
    assert len(bomb) < 200_000
    path = written(tmp_path, f"log.csv{PACKED[packing][0]}", bomb)
    notes: list[Text] = []
    with unpacked(path, packing, notes) as plain:
        assert plain.stat().st_size <= 3_000_000
    assert any("were unpacked" in note.en for note in notes)
    (run,) = load_runs(path)
    assert len(run.series[0]) == 5000


def test_growth_is_bounded_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.ingest.packing.UNPACKED_ANYWAY", 1000)
    monkeypatch.setattr("spikedoc.ingest.packing.MOST_GROWTH", 10)
    path = written(tmp_path, "log.csv.gz", gzip.compress(b"\n" * 10_000_000))
    with unpacked(path, "gzip", []) as plain:
        assert plain.stat().st_size == 10 * path.stat().st_size


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("keep", [4, 7, 12, 20])
def test_hardly_anything_of_it(tmp_path: Path, packing: str, keep: int) -> None:
    suffix, content = PACKED[packing]
    path = written(tmp_path, f"log.csv{suffix}", content[:keep])
    with pytest.raises(InputError) as error:
        load_runs(path)
    assert "\n" not in str(error.value)
    assert path.name in str(error.value)


@pytest.mark.parametrize("packing", PACKED)
def test_damage_inside(tmp_path: Path, packing: str) -> None:
    suffix, packed = PACKED[packing]
    content = bytearray(packed)
    for place in range(len(content) // 2, len(content) // 2 + 40):
        content[place] ^= 0xA5
    path = written(tmp_path, f"log.csv{suffix}", bytes(content))
    try:
        runs = load_runs(path)
    except InputError:
        return
    assert any(source.notes for source in runs[0].sources)


def test_an_xz_file_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    path = written(tmp_path, "log.csv.xz", lzma.compress(TABLE, filters=filters))
    with pytest.raises(InputError, match="not a readable xz file"):
        load_runs(path)


def test_a_tar_file_inside(tmp_path: Path) -> None:
    store = io.BytesIO()
    with tarfile.open(fileobj=store, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../../evil.csv"), io.BytesIO(b""))
    path = written(tmp_path, "runs.tgz", store.getvalue())
    with pytest.raises(InputError, match="tar"):
        packed_head(path, "gzip")
    with pytest.raises(InputError, match="tar"):
        load_runs(path)


def test_zstd_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "log.csv.zst", PACKED["zstd"][1])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"pip install zstandard") as error:
        load_runs(path)
    assert error.value.path == str(path)
    written(tmp_path, "log.csv", TABLE)
    (run,) = load_runs(tmp_path)
    assert any("zstandard" in note.en for note in run.notes)


def test_names() -> None:
    assert plain_path(Path("a/log.csv.gz")) == Path("a/log.csv")
    assert plain_path(Path("a/log.csv")) == Path("a/log.csv")
