"""Each line profile that discovery finds: its own layout, and lines broken in every way."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_samples import SAMPLES, Sample

import spikedoc.readers.lines
from spikedoc.errors import InputError
from spikedoc.plugins import discover
from spikedoc.readers._sniff import ANSI
from spikedoc.readers.base import Table
from spikedoc.readers.lines.base import LineProfile, Record
from spikedoc.readers.text import READER

PROFILES: dict[str, LineProfile] = discover(spikedoc.readers.lines, "PROFILE")
# Long runs of what regular expressions repeat: none of them may cost more than linear time.
FILLERS = [
    "1",
    " ",
    "a",
    "a ",
    "1 ",
    ": ",
    "=",
    "|",
    "[",
    "]",
    "(",
    "a: 1, ",
    "'a': 1, ",
    "\t",
    "-",
]
LONG = 16_000


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


def lines_of(sample: Sample) -> list[str]:
    return [ANSI.sub("", line).strip() for line in re.split(r"[\n\r\x08]+", sample.log) if line]


def test_every_profile_has_a_sample_and_every_sample_a_profile() -> None:
    assert set(SAMPLES) == set(PROFILES)


def test_profiles_are_named_like_their_modules_and_asked_in_one_order() -> None:
    assert [profile.name for profile in PROFILES.values()] == list(PROFILES)
    orders = [profile.order for profile in PROFILES.values()]
    assert len(set(orders)) == len(orders)
    assert max(PROFILES.values(), key=lambda profile: profile.order).name == "generic"


@pytest.mark.parametrize("name", SAMPLES)
def test_its_own_layout(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    table = read(tmp_path, sample.log)
    found = {one.tag: one for one in table.series}
    for tag, points in sample.series.items():
        assert tag in found, sorted(found)
        assert found[tag].steps.tolist() == [step for step, _ in points], tag
        np.testing.assert_allclose(found[tag].values, [v for _, v in points], rtol=1e-12)
    assert not set(sample.absent) & set(found)
    if sample.note:
        assert any(sample.note in note.en for note in table.notes), table.notes


@pytest.mark.parametrize("name", SAMPLES)
def test_its_lines_behind_a_rank(tmp_path: Path, name: str) -> None:
    """`[rank3]:` in front of each line changes nothing."""
    sample = SAMPLES[name]
    if "\r" in sample.log or "\x08" in sample.log or "[rank" in sample.log:
        pytest.skip("bars are drawn by one process")
    text = "".join(f"[rank3]: {line}\n" for line in sample.log.splitlines())
    plain, prefixed = read(tmp_path, sample.log), read(tmp_path, text)
    for tag in sample.series:
        expected = next(one for one in plain.series if one.tag == tag)
        found = next(one for one in prefixed.series if one.tag == tag)
        assert found.steps.tolist() == expected.steps.tolist()
        assert found.rank is None


@pytest.mark.parametrize("name", SAMPLES)
def test_two_ranks_in_turn(tmp_path: Path, name: str) -> None:
    """Two processes print the same lines, the second one other numbers of its loss."""
    sample = SAMPLES[name]
    if "\r" in sample.log or "\x08" in sample.log or "[rank" in sample.log:
        pytest.skip("bars are drawn by one process")
    if "[Rank" in sample.log or len(sample.log.splitlines()) < 3:
        pytest.skip("the lines name a rank of their own, or are too few to tell")
    both = "".join(f"[rank0]: {ln}\n[rank1]: {ln}\n" for ln in sample.log.splitlines())
    once, twice = read(tmp_path, sample.log), read(tmp_path, both)
    for tag in sample.series:
        expected = next(one for one in once.series if one.tag == tag)
        found = [one for one in twice.series if one.tag == tag]
        assert len(found) == 1
        assert found[0].steps.tolist() == expected.steps.tolist()
        np.testing.assert_array_equal(found[0].values, expected.values)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("filler", FILLERS)
def test_long_lines_do_not_hang(ends: None, name: str, filler: str) -> None:
    profile = PROFILES[name]
    for line in lines_of(SAMPLES[name])[:6]:
        for cut in (len(line) // 3, len(line) // 2, len(line)):
            long = (line[:cut] + filler * (LONG // len(filler)) + line[cut:])[:LONG]
            if profile.claims(long):
                profile.start().take(long)  # no error either


@pytest.mark.parametrize("name", PROFILES)
def test_a_line_cut_anywhere(name: str) -> None:
    profile = PROFILES[name]
    for line in lines_of(SAMPLES[name]):
        parser = profile.start()
        for cut in range(len(line)):
            if profile.claims(line[:cut]):
                found = parser.take(line[:cut])
                assert found is None or isinstance(found, Record)
        parser.end()


@pytest.mark.parametrize("name", PROFILES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_lines_with_anything_in_them(name: str, data: st.DataObject) -> None:
    profile = PROFILES[name]
    lines = [line for line in lines_of(SAMPLES[name]) if len(line) > 1]
    parser = profile.start()
    for _ in range(3):
        line = data.draw(st.sampled_from(lines))
        place = data.draw(st.integers(0, len(line)))
        salt = data.draw(
            st.one_of(
                st.text(max_size=20),
                st.sampled_from(
                    ["nan", "-nan", "inf", "1e999", "1" * 400, "9" * 15, "1.#INF", "-"]
                ),
            )
        )
        salted = line[:place] + salt + line[place + data.draw(st.integers(0, 9)) :]
        if salted and profile.claims(salted):
            record = parser.take(salted)
            if record is not None:
                assert all(isinstance(v, float) for v in record.values.values())
                assert record.step is None or isinstance(record.step, int)
    parser.end()


@pytest.mark.parametrize("name", PROFILES)
@given(text=st.text(min_size=1, max_size=200))
@settings(max_examples=40, deadline=None)
def test_any_text(name: str, text: str) -> None:
    profile = PROFILES[name]
    if profile.claims(text):
        profile.start().take(text)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_salted_log_is_read_or_refused(tmp_path: Path, name: str) -> None:
    for salt in ("9" * 18, "nan", "1e999", "-", "\x00", "1.#QNAN", "\u0663"):
        text = re.sub(r"\d+(?:\.\d+)?", lambda m, s=salt: s if m.start() % 3 == 0 else m[0],
                      SAMPLES[name].log)  # fmt: skip
        try:
            table = read(tmp_path, text)
        except InputError:
            continue
        for one in table.series:
            assert one.steps.shape == one.values.shape
