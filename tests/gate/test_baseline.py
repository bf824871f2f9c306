"""What is known: names without values, dates, and files that are none."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from spikedoc.errors import UsageError
from spikedoc.gate.baseline import Entry, current, dump, fingerprint, load, stale
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity

SPIKE = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", 120, 120, 121)
TODAY = date(2030, 6, 1)


def test_a_name_holds_no_values() -> None:
    later = replace(SPIKE, start_step=999, confidence=0.1, measures={"peak": 3.0})
    assert fingerprint("nightly", SPIKE) == fingerprint("nightly", later)
    assert len(fingerprint("nightly", SPIKE)) == 16


def test_a_name_tells_run_label_and_signal_apart() -> None:
    others = [
        ("other", SPIKE),
        ("nightly", replace(SPIKE, signal="val_loss")),
        ("nightly", replace(SPIKE, kind=Kind.DIVERGENCE, form=Form.FINITE)),
        ("nightly", replace(SPIKE, kind=Kind.DIVERGENCE, form=Form.TO_NONFINITE)),
    ]
    names = {fingerprint(run, a) for run, a in [("nightly", SPIKE), *others]}
    assert len(names) == 5


def test_parts_do_not_run_together() -> None:
    assert fingerprint("a", replace(SPIKE, signal="bc")) != fingerprint(
        "ab", replace(SPIKE, signal="c")
    )
    assert fingerprint("bad\ud800name", SPIKE)


def entry(name: str, until: date | None = None) -> Entry:
    return Entry(name, "nightly", "isolated-spike", "loss", until)


def test_there_and_back(tmp_path: Path) -> None:
    entries = (entry("b", TODAY), entry("a"), entry("a"))
    file = tmp_path / "known.json"
    file.write_text(dump(entries))
    assert set(load(file)) == {entry("a"), entry("b", TODAY)}
    assert dump(load(file)) == dump(reversed(load(file)))


def test_a_date_ends_an_entry() -> None:
    entries = (entry("a"), entry("b", TODAY), entry("c", date(2030, 5, 31)))
    assert set(current(entries, TODAY)) == {"a", "b"}
    assert {e.fingerprint for e in stale(entries, {"a", "c"}, {"nightly"}, TODAY)} == {"b", "c"}


def test_what_was_not_checked_is_not_gone() -> None:
    assert stale((entry("a"),), set(), {"other"}, TODAY) == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b"[]", "not a baseline"),
        (b'{"schema": "spikedoc-report/1"}', "not a baseline"),
        (b'{"schema": "spikedoc-baseline/1"}', "entries: expected a list"),
        (b'{"schema": "spikedoc-baseline/1", "entries": [3]}', "entry 1: no fingerprint"),
        (
            b'{"schema": "spikedoc-baseline/1", "entries": [{"fingerprint": "a", "until": 3}]}',
            "expected a date",
        ),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        load(file)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such baseline"):
        load(tmp_path / "none.json")


def test_a_device_is_no_baseline() -> None:
    with pytest.raises(UsageError, match="not a regular file"):
        load(Path("/dev/zero"))
