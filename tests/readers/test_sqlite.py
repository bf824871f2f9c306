"""Databases that are damaged: refused in a line, whatever they claim."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from spikedoc.errors import InputError
from spikedoc.readers import _sqlite


class Greedy(sqlite3.Connection):
    """A connection to a file whose pages claim more than there is memory."""

    def execute(self, query: str, *values: Any) -> sqlite3.Cursor:
        if query.startswith("SELECT"):
            raise MemoryError
        return super().execute(query, *values)


def test_a_page_that_claims_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.db"
    sqlite3.connect(path).close()
    connect = sqlite3.connect
    monkeypatch.setattr(
        _sqlite.sqlite3, "connect", lambda *a, **more: connect(*a, **more, factory=Greedy)
    )
    with (
        pytest.raises(InputError, match="claims more than there is memory"),
        _sqlite.opened(path),
    ):
        pass
    assert not _sqlite.holds(path, _sqlite.HEAD, "metrics")
