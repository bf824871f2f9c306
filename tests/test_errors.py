"""Messages of the errors meant for the user: one line that says what, where and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.errors import CatalogError, InputError, ReportError, SpikedocError, UsageError


def test_an_input_error_says_where_and_what_to_do() -> None:
    error = InputError(Path("runs/a"), "no log found", "name a file")
    assert str(error) == "runs/a: no log found (name a file)"
    assert (error.path, error.reason, error.hint) == ("runs/a", "no log found", "name a file")
    assert str(InputError("runs/a", "no log found")) == "runs/a: no log found"


def test_a_catalog_error_names_file_and_key() -> None:
    error = CatalogError(Path("SD101-x.toml"), "prior.spike", "is no kind")
    assert str(error) == "SD101-x.toml: prior.spike: is no kind"
    assert (error.source, error.key, error.reason) == ("SD101-x.toml", "prior.spike", "is no kind")
    assert str(CatalogError("SD101-x.toml", "", "is empty")) == "SD101-x.toml: is empty"


@pytest.mark.parametrize(
    "error", [InputError("p", "r"), UsageError("u"), CatalogError("s", "k", "r"), ReportError("x")]
)
def test_all_are_caught_by_one_name(error: Exception) -> None:
    assert isinstance(error, SpikedocError)
    assert "\n" not in str(error)
