"""The Monitor's episodes: whole, cut short, and tables that are not its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.readers.sb3_monitor import READER
from tests.notes import english

WRITTEN = Path(__file__).parents[1] / "data" / "writers" / "sb3" / "monitor.csv"
HEAD = '#{"t_start": 1796072977.96, "env_id": "CartPole-v1"}\nr,l,t\n'


def test_a_file_of_the_real_writer() -> None:
    assert READER.accepts(WRITTEN, WRITTEN.read_bytes())
    (run,) = load_runs(WRITTEN)
    reward = run.get(Metric.REWARD)
    assert reward is not None
    lengths = [int(line.split(",")[1]) for line in WRITTEN.read_text().splitlines()[2:]]
    assert len(reward) == 40
    assert reward.steps.tolist() == [sum(lengths[: i + 1]) for i in range(40)]
    assert reward.values[:2].tolist() == [22.0, 20.0]


def test_damage(tmp_path: Path) -> None:
    path = tmp_path / "monitor.csv"
    path.write_text(f"{HEAD}10.0,10,0.5\nx,y\n12.0,12,1.0\n13.0,1")
    table = READER.read(path)
    assert table.series[0].tag == "monitor/reward"
    assert table.series[0].steps.tolist() == [10, 22]
    assert english(table.notes)[1:] == (
        "the last line is cut short and was left out",
        "1 row without a number was left out",
    )


def test_without_an_episode(tmp_path: Path) -> None:
    path = tmp_path / "monitor.csv"
    path.write_text(HEAD)
    with pytest.raises(InputError, match="no episode"):
        READER.read(path)


def test_other_tables(tmp_path: Path) -> None:
    for head in (b"r,l,t\n1,2,3\n", b"# run 7\nr,l,t\n1,2,3\n", b'#{"t_start": 1}\nloss\n'):
        assert not READER.accepts(tmp_path / "monitor.csv", head)


def test_means_over_episodes_are_the_reward_of_a_run_that_has_both(tmp_path: Path) -> None:
    (tmp_path / "monitor.csv").write_bytes(WRITTEN.read_bytes())
    rows = "".join(f"{128 * i},{20 + i},0.5\n" for i in range(1, 7))
    (tmp_path / "progress.csv").write_text(
        f"time/total_timesteps,rollout/ep_rew_mean,train/loss\n{rows}"
    )
    (run,) = load_runs(tmp_path)
    reward = run.get(Metric.REWARD)
    assert reward is not None
    assert reward.tag == "rollout/ep_rew_mean"
