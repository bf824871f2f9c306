from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.readers.d3rlpy import READER
from tests.notes import english

LOSS = "1,50,1.5\n2,100,1.25\n3,150,nan\n"
SPREAD = "epoch,step,min,max,mean,std\n1,50,-0.5,0.75,0.125,0.25\n2,100,-1.5,1.75,1.125,1.25\n"


def folder(tmp_path: Path, **tables: str) -> Path:
    run = tmp_path / "TD3_20261130"
    run.mkdir()
    (run / "params.json").write_text('{"type": "td3", "config": {"gamma": 0.99}}')
    for name, text in tables.items():
        (run / f"{name}.csv").write_text(text)
    return run


def test_a_folder_is_one_run_with_a_series_per_table(tmp_path: Path) -> None:
    run = folder(tmp_path, critic_loss=LOSS, actor_loss="1,50,0.5\n2,100,0.25\n")
    (found,) = load_runs(run)
    series = {one.tag: one for one in found.series}
    assert set(series) == {"critic_loss", "actor_loss"}
    assert series["critic_loss"].steps.tolist() == [50, 100, 150]
    np.testing.assert_array_equal(series["critic_loss"].values, [1.5, 1.25, np.nan])
    assert series["actor_loss"].values.tolist() == [0.5, 0.25]


def test_the_spread_of_a_gradient_is_four_series(tmp_path: Path) -> None:
    run = folder(tmp_path, critic_loss=LOSS, **{"fc.weight_grad": SPREAD})
    series = {one.tag: one for one in READER.read(run).series}
    assert series["fc.weight_grad/max"].values.tolist() == [0.75, 1.75]
    assert series["fc.weight_grad/std"].steps.tolist() == [50, 100]


def test_rows_that_are_cut_short_are_left_out_and_told(tmp_path: Path) -> None:
    run = folder(tmp_path, critic_loss=LOSS + "4,200\n")
    table = READER.read(run / "critic_loss.csv")
    assert len(table.series[0].values) == 3
    assert english(table.notes) == ("critic_loss: 1 row was left out",)


@pytest.mark.parametrize("row", ["4,200.5,1.0", "4,-5,1.0", "4,9e18,1.0", ",,", "4,200,1e999,2"])
def test_rows_without_a_step_or_a_value_are_left_out(row: str, tmp_path: Path) -> None:
    run = folder(tmp_path, critic_loss=f"{LOSS}{row}\n")
    assert READER.read(run / "critic_loss.csv").series[0].steps.max() < 200


def test_without_settings_beside_it_such_a_table_is_an_ordinary_one(tmp_path: Path) -> None:
    table = tmp_path / "critic_loss.csv"
    table.write_text(LOSS)
    assert not READER.accepts(table, LOSS.encode())


def test_a_folder_without_numbers_is_refused(tmp_path: Path) -> None:
    run = folder(tmp_path, critic_loss="1,50,\n")
    with pytest.raises(InputError, match="no table with numbers"):
        READER.read(run)
