from __future__ import annotations

from pathlib import Path

import pytest
from samples_factory import BAD, BROKEN, write_csv

from spikedoc.errors import UsageError
from spikedoc.samples.rank import rank
from spikedoc.samples.result import Ranking, Verdict
from spikedoc.samples.table import read_samples


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "losses.csv")


def ranking(path: Path, **options: int) -> Ranking:
    return rank(read_samples(path), path.name, **options)


def test_what_is_told(losses: Path) -> None:
    found = ranking(losses, shown=2)
    assert (found.rows, found.samples, found.batches, found.apart) == (1280, 320, 80, 3)
    assert found.statement.en == (
        "3 of 320 samples stand apart: 1 not finite, 1 stays high, 1 high at times."
    )
    assert [one.name for one in found.ranked] == [BROKEN, BAD]
    assert len(found.advice) == 3


def test_a_healthy_table_says_so(tmp_path: Path) -> None:
    found = ranking(write_csv(tmp_path / "losses.csv", bad=False))
    assert found.apart == 0
    assert found.statement.en.startswith("No sample stands apart; img_")
    assert found.advice == ()
    assert found.notes == ()


def test_one_step_alone(losses: Path) -> None:
    step = next(one.worst_at for one in ranking(losses).ranked if one.name == BAD)
    assert step is not None
    found = ranking(losses, at=step)
    assert (found.rows, found.samples) == (16, 16)
    assert found.ranked[0].name == BAD
    assert found.ranked[0].verdict is Verdict.HIGH
    assert all(one.worst_at == step for one in found.ranked)


def test_a_step_nobody_was_seen_at(losses: Path) -> None:
    with pytest.raises(UsageError, match="the table has 0 to 79"):
        ranking(losses, at=80)


def test_a_table_without_steps_has_none_to_choose(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("sample_id,loss\n" + "".join(f"s{i},{i / 10}\n" for i in range(20)))
    with pytest.raises(UsageError, match="needs a column"):
        ranking(path, at=1)


def test_few_rows_and_a_long_tail_are_said(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("sample_id,loss\n" + "".join(f"s{i},{0.01 * 3**i}\n" for i in range(10)))
    found = ranking(path)
    assert found.apart == 0
    assert [note.en[:20] for note in found.notes] == [
        "Too few losses to te",
        "30 % of the losses a",
    ]


def test_names_are_redacted(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    body = "".join(f"/home/jane/data/{i}.png,{i / 10 + 0.1}\n" for i in range(20))
    path.write_text("image_path,loss\n" + body)
    assert all("jane" not in one.name for one in ranking(path).ranked)
