"""A reference file: small, the same every time, and nothing in it is trusted."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from healthy_project import healthy
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.errors import UsageError
from spikedoc.gate.measure import OF_THE_RUN
from spikedoc.reference.build import build
from spikedoc.reference.codec import MAX_BYTES, dump, is_reference, load
from spikedoc.signal.statistic import COUNTS, LEVELS, QUANTILES

RUNS = [healthy(seed) for seed in range(3)]
OF_RUNS = [{"steps.last": 1e4, "nan.count": 0.0, "spikes_per_10k_steps": 0.5}]
TEXT = dump(build(RUNS, OF_RUNS))


def changed(**changes: Any) -> str:
    content = json.loads(TEXT)
    content["bands"][0] |= changes
    return json.dumps(content)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(TEXT)
    found, built = load(tmp_path / "r.json"), build(RUNS, OF_RUNS)
    assert replace(found, bands=()) == replace(built, bands=())
    for a, b in zip(found.bands, built.bands, strict=True):
        assert (a.signal, a.side, a.judged, a.scale, a.runs) == (
            *(b.signal, b.side, b.judged, b.scale, b.runs),
        )
        for key in ("edges", "low", "middle", "high"):
            np.testing.assert_allclose(getattr(a, key), getattr(b, key), rtol=1e-5)
        assert a.numbers == pytest.approx(dict(b.numbers), rel=1e-5)
    assert dump(found) == TEXT


def test_the_same_runs_the_same_bytes_and_no_path() -> None:
    again = dump(build([healthy(seed) for seed in range(3)], OF_RUNS))
    assert again == TEXT
    assert TEXT.isascii()
    assert "runs/" not in TEXT
    assert len(TEXT) < 9_000
    bands = [line for line in TEXT.splitlines() if line.startswith('  {"signal"')]
    assert len(bands) == 7
    assert json.loads(TEXT)["schema"] == "spikedoc-reference/1"


def test_the_published_schema() -> None:
    schema = json.loads(
        resources.files("spikedoc.reference").joinpath("reference.schema.json").read_text("utf-8")
    )
    validator = jsonschema.Draft202012Validator(schema)
    for runs in (RUNS, RUNS[:1]):
        validator.validate(json.loads(dump(build(runs))))
    for damage in ({"side": "left"}, {"low": []}, {"numbers": {"p33": 1}}, {"judged": 1}):
        assert not validator.is_valid(json.loads(changed(**damage)))
    band = set(json.loads(TEXT)["bands"][0])
    assert band == set(schema["$defs"]["band"]["properties"])
    assert set(json.loads(TEXT)) == set(schema["properties"])
    kept = schema["$defs"]["band"]["properties"]["numbers"]["propertyNames"]["enum"]
    assert kept == [*LEVELS, *QUANTILES, *COUNTS]
    assert schema["properties"]["numbers"]["propertyNames"]["enum"] == list(OF_THE_RUN)


def test_a_file_without_single_numbers_is_read(tmp_path: Path) -> None:
    content = json.loads(TEXT)
    del content["numbers"]
    for band in content["bands"]:
        del band["numbers"]
    (tmp_path / "r.json").write_text(json.dumps(content))
    found = load(tmp_path / "r.json")
    assert all(band.numbers == {} for band in found.bands)
    assert found.numbers == {}


def test_hostile_names_are_made_safe() -> None:
    hostile = replace(RUNS[0], name="a\x1b[31m\n::error::\u202e")
    assert json.loads(dump(build([hostile])))["runs"] == ["a : :error::"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"schema": "spikedoc-reference/2"}',
        '{"schema": "spikedoc-reference/1"}',
        '{"schema": "spikedoc-reference/1", "last_steps": [1, 2], "axis": "step", "runs": 3}',
        changed(signal=3),
        changed(signal="loss"),
        changed(judged="yes"),
        changed(side="left"),
        changed(scale="none"),
        changed(runs=None),
        changed(span=[1, 1]),
        changed(span=[1, 1e999]),
        changed(span=None),
        changed(low=[]),
        changed(low=[0.1]),
        changed(low="abc"),
        changed(low=[1e9] * 20),
        changed(low=[-1] * 20),
        changed(low=[[]] * 20),
        changed(numbers=[1]),
        changed(numbers={"final": "x"}),
        changed(numbers={"final": 1e999}),
        changed(low=[0] * 20_000, middle=[0] * 20_000, high=[0] * 20_000),
    ],
)
def test_what_is_no_reference(tmp_path: Path, text: str) -> None:
    file = tmp_path / "r.json"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        load(file)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge.json").write_bytes(b" " * (MAX_BYTES + 1))
    for name in ("none.json", "pipe", ".", "huge.json"):
        with pytest.raises(UsageError):
            load(tmp_path / name)


@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("bytes") / "r.json"
    file.write_bytes(content)
    with pytest.raises(UsageError):
        load(file)


def test_a_reference_is_told_from_a_log(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(TEXT)
    (tmp_path / "log.csv").write_text("step,loss\n1,2\n")
    assert is_reference(tmp_path / "r.json")
    assert not is_reference(tmp_path / "log.csv")
    assert not is_reference(tmp_path)
