"""Two logs in one paste, a line of dashes between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.comparison.pasted import two_runs

ABOVE = "".join(f"step {i}: loss {3.0 - i / 20:.3f}\n" for i in range(1, 21))
BELOW = "".join(f"step {i}: loss {3.0 - i / 40:.3f}\n" for i in range(1, 31))


@pytest.mark.parametrize(
    ("line", "name"),
    [("--- run B", "run B"), ("=== baseline ===", "baseline"), ("------", "B"), ("---", "B")],
)
def test_a_line_of_dashes_parts_two_runs(tmp_path: Path, line: str, name: str) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(f"{ABOVE}{line}\n{BELOW}")
    first, second = two_runs(str(file), None)
    assert (first.name, second.name) == ("A", name)
    assert [len(run.main_loss or ()) for run in (first, second)] == [20, 30]
    assert first.path == second.path == str(file)


@pytest.mark.parametrize("text", [ABOVE, f"{ABOVE}--- b\n{BELOW}--- c\n{BELOW}", "--- x\n", ""])
def test_anything_else_is_no_pair(tmp_path: Path, text: str) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(text)
    assert two_runs(str(file), None) == []


def test_a_folder_or_nothing_is_no_pair(tmp_path: Path) -> None:
    assert two_runs(str(tmp_path), None) == []
    assert two_runs(str(tmp_path / "missing"), None) == []


def test_the_name_is_made_safe(tmp_path: Path) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(f"{ABOVE}--- \x1b[31mred\u202e\n{BELOW}")
    assert two_runs(str(file), None)[1].name == "red"
