from __future__ import annotations

import os
import shutil
from pathlib import Path

import fleets
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.fleet.key import END_BYTES, digest, method_key, newest, place_key
from spikedoc.ingest.places import survey


def key(root: Path, method: str = "m") -> str:
    (files,) = survey(root).places
    return place_key(files, root, method)


def test_a_copy_elsewhere_with_other_times_has_the_same_key(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "one/a")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    os.utime(tmp_path / "two/a/metrics.csv", (1, 1))
    assert key(tmp_path / "one") == key(tmp_path / "two")


def test_growth_settings_and_method_change_the_key(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a")
    keys = {key(tmp_path), key(tmp_path, "other")}
    with log.open("a") as file:
        file.write("300,0.5,0.001\n")
    keys.add(key(tmp_path))
    (tmp_path / "a/config.json").write_text('{"lr": 1}')
    keys.add(key(tmp_path))
    (tmp_path / "a/config.json").write_text('{"lr": 2}')
    keys.add(key(tmp_path))
    assert len(keys) == 5
    before = key(tmp_path)
    (tmp_path / "a/model.pt").write_text("weights")
    assert key(tmp_path) == before


def test_a_rewritten_end_of_the_same_size_changes_the_key(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a", steps=2000)
    assert log.stat().st_size > 3 * END_BYTES
    before = key(tmp_path)
    text = log.read_bytes()
    log.write_bytes(text[:-4] + b"2\n\n\n")
    assert key(tmp_path) != before


def test_a_vanished_file_has_a_key(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a")
    (files,) = survey(tmp_path).places
    log.unlink()
    assert place_key(files, tmp_path, "m")
    assert newest(files) == 0.0


def test_the_newest_file_counts(tmp_path: Path) -> None:
    os.utime(fleets.write_run(tmp_path / "a"), (100, 100))
    (files,) = survey(tmp_path).places
    assert newest(files) == 100.0


def test_rules_and_roles_are_part_of_the_method(tmp_path: Path) -> None:
    (tmp_path / "SD1.toml").write_text("a")
    keys = {method_key(None, {}), method_key(None, {"loss": "x"}), method_key(tmp_path, {})}
    (tmp_path / "SD1.toml").write_text("b")
    keys.add(method_key(tmp_path, {}))
    assert len(keys) == 4
    assert method_key(None, {"a": "1", "b": "2"}) == method_key(None, {"b": "2", "a": "1"})


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_only_the_same_parts_have_the_same_digest(one: list[str], two: list[str]) -> None:
    assert (digest(one) == digest(two)) == (one == two)
