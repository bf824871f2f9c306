"""Every tool is asked about the same table and counted by the same rule."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.rules.loader import load_catalog

Import = Callable[[str], ModuleType]
ROOT = Path(__file__).parents[2]
VOCABULARIES = tomllib.loads((ROOT / "benchmarks" / "vocabularies.toml").read_text("utf-8"))
TRUTH: dict[str, Any] = {
    "name": "bad_batch",
    "healthy": False,
    "not_visible": False,
    "causes_ok": ["bad_batch"],
    "anomalies": [
        {"kind": "spike_isolated", "alt_kinds": ["spike_slow_recovery"], "required": True},
        {"kind": "grad_spike", "alt_kinds": [], "required": False},
    ],
}


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_a_vocabulary_is_put_into_words_that_exist(name: str) -> None:
    kinds = {kind.value for kind in Kind}
    causes = {rule.cause for rule in load_catalog(None).rules}
    for word, meant in VOCABULARIES[name].get("kinds", {}).items():
        assert set(meant) <= kinds, word
    for word, meant in VOCABULARIES[name].get("causes", {}).items():
        assert set(meant) <= causes, word


def test_every_tool_has_a_vocabulary(benchmark: Import) -> None:
    for tool in benchmark("_peer_tools").TOOLS:
        assert set(VOCABULARIES[tool.name]) == {"kinds", "causes"}


class TestLabels:
    def test_of_a_training(self, benchmark: Import, tmp_path: Path) -> None:
        (tmp_path / "bad_batch-s0").mkdir()
        (tmp_path / "bad_batch-s0" / "truth.json").write_text(json.dumps(TRUTH))
        (found,) = benchmark("_labelled").labelled(tmp_path)
        assert (found.name, found.fault) == ("bad_batch-s0", "bad_batch")
        assert found.must_alarm
        assert not found.is_healthy
        assert found.kinds == {"isolated-spike", "slow-recovery"}
        assert found.causes == {"bad-labels", "bad-input"}

    def test_of_public_logs(self, benchmark: Import, tmp_path: Path) -> None:
        entries = [
            {
                "id": "a",
                "label": "anomalous",
                "severity": "fail",
                "anomalies": [{"kind": "overfit"}],
            },
            {"id": "b", "label": "healthy", "severity": "none", "anomalies": [{"kind": "healthy"}]},
            {"id": "c", "label": "no_signal", "severity": "none", "anomalies": []},
            {"id": "gone", "label": "healthy", "severity": "none", "anomalies": []},
        ]
        for entry in entries[:3]:
            (tmp_path / str(entry["id"])).mkdir()
        (tmp_path / "manifest.jsonl").write_text("\n".join(map(json.dumps, entries)))
        one, other = benchmark("_labelled").labelled(tmp_path)
        assert (one.kinds, one.must_alarm, one.is_healthy) == ({"overfitting"}, True, False)
        assert (other.kinds, other.must_alarm, other.is_healthy) == (frozenset(), False, True)

    def test_of_the_sample_logs(self, benchmark: Import) -> None:
        found = {run.name: run for run in benchmark("_labelled").labelled(ROOT / "sample_logs")}
        assert len(found) == 20
        assert found["healthy_resume"].is_healthy
        assert found["overfit"].kinds == found["overfit"].causes == {"overfitting"}
        assert not found["mislabelled_sample"].must_alarm


def test_a_value_between_two_rows_goes_to_the_later_one(benchmark: Import, tmp_path: Path) -> None:
    logged = {
        Metric.LOSS: ([2, 4, 6], [1.0, np.nan, 0.5]),
        Metric.VAL_LOSS: ([3, 6, 9], [2.0, 3.0, 4.0]),
        Metric.LR: ([2], [0.1]),
    }
    series = (
        Series(metric, metric.value, metric.value, np.array(steps), np.array(values))
        for metric, (steps, values) in logged.items()
    )
    run = Run("run", "run", tuple(series))
    path = tmp_path / "table.csv"
    assert benchmark("_clean_csv").write_clean(run, path)
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["step", "loss", "val_loss", "lr"],
            ["2", "1.0", "", "0.1"],
            ["4", "nan", "2.0", ""],
            ["6", "0.5", "3.0", ""],
        ]


class TestCounting:
    WORDS = {  # noqa: RUF012
        "kinds": {"jump": frozenset({"isolated-spike"}), "slow": frozenset()},
        "causes": {"bad batch": frozenset({"bad-input"}), "slow": frozenset({"lr-too-low"})},
    }

    def run(self, benchmark: Import, **changes: Any) -> Any:
        known = {
            "is_healthy": False,
            "must_alarm": True,
            "kinds": frozenset({"isolated-spike"}),
            "causes": frozenset({"bad-input"}),
        }
        return benchmark("_labelled").Labelled("a", "a", Path(), **(known | changes))

    def counted(
        self, benchmark: Import, run: Any, *remarks: tuple[Any, ...], error: str = ""
    ) -> Any:
        tools, tally = benchmark("_peer_tools"), benchmark("_peer_tally")
        found = tally.Tally()
        answer = tools.Answer(tuple(tools.Remark(*one) for one in remarks), 1.0, error)
        tally.count(found, run, answer, self.WORDS, scaled=True)
        return found

    def test_a_fault_flagged_named_and_explained(self, benchmark: Import) -> None:
        found = self.counted(
            benchmark, self.run(benchmark), ("jump", True, "one bad batch, or two"), ("slow", False)
        )
        assert found.cells() == ["100 % (1 of 1)"] * 3 + ["–", "–", "1.00", "0"]

    def test_only_the_first_cause_counts_but_every_kind(self, benchmark: Import) -> None:
        found = self.counted(
            benchmark, self.run(benchmark), ("slow", False), ("jump", False, "a bad batch")
        )
        assert found.cells()[:3] == ["0 % (0 of 1)", "100 % (1 of 1)", "0 % (0 of 1)"]

    def test_an_alarm_on_a_healthy_run(self, benchmark: Import) -> None:
        run = self.run(benchmark, is_healthy=True)
        loud, quiet = (self.counted(benchmark, run, ("jump", alarm)) for alarm in (True, False))
        assert loud.cells()[3:5] == ["100 % (1 of 1)"] * 2
        assert quiet.cells()[3:5] == ["0 % (0 of 1)"] * 2

    def test_no_answer_is_a_miss_and_counted(self, benchmark: Import) -> None:
        found = self.counted(benchmark, self.run(benchmark), error="Traceback")
        assert found.cells() == ["0 % (0 of 1)"] * 3 + ["–", "–", "–", "1"]

    def test_an_unknown_cause_is_not_counted(self, benchmark: Import) -> None:
        found = self.counted(benchmark, self.run(benchmark, causes=frozenset()), ("jump", True))
        assert found.cells()[:3] == ["100 % (1 of 1)", "100 % (1 of 1)", "–"]


class TestTools:
    def test_their_output_is_read(self, benchmark: Import) -> None:
        tools = benchmark("_peer_tools")
        by_name = {tool.name: tool.read for tool in tools.TOOLS}
        finding = {"title": "Loss spike", "severity": "info", "fixes": ["Lower it", "x"]}
        check = {"check": "no_learning", "severity": "critical", "likely_causes": []}
        verdicts = [{"id": "TP-NAN", "level": "FAIL"}, {"id": "TP-PASS", "level": "PASS"}]
        for name, report, expected in (
            ("trainspotter", {"findings": [finding]}, [("Loss spike", False, "Lower it")]),
            ("runmedic", [{"findings": [check]}], [("no_learning", True, "")]),
            ("trainproof", {"reports": [{"findings": verdicts}]}, [("TP-NAN", True, "")]),
            ("losslint", {"findings": [{"check": "parse", "severity": "warning"}]},
             [("parse", True, "")]),
            ("runwise", [{"name": "spike", "is_alarm": True}], [("spike", True, "")]),
        ):  # fmt: skip
            read: Iterator[Any] = by_name[name](report)
            assert [(one.name, one.is_alarm, one.cause) for one in read] == expected

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("print('[]')", ""),
            ("import sys; print('[]'); sys.exit(1)", ""),
            ("raise SystemExit('what a pity')", "what a pity"),
            ("import os; os.abort()", "ended by signal 6"),
        ],
    )
    def test_a_tool_that_fails_is_reported(
        self, benchmark: Import, tmp_path: Path, code: str, said: str
    ) -> None:
        tools = benchmark("_peer_tools")
        tool = tools.Tool("any", (sys.executable, "-c", code), lambda _: iter(()), "")
        answer = tools.ask(tool, tmp_path / "table.csv", tmp_path)
        assert answer.error == said
        assert (answer.seconds > 0) is (not said)


def test_two_sample_logs_beside_a_made_up_tool(
    benchmark: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers, tools = benchmark("peers"), benchmark("_peer_tools")
    for name in ("healthy_fp16_scaler", "wrong_lr_flat"):
        shutil.copytree(ROOT / "sample_logs" / name, tmp_path / "logs" / name)
    echo = "import json; print(json.dumps([{'name': 'plateau', 'is_alarm': True}]))"
    listed = next(tool.read for tool in tools.TOOLS if tool.name == "runwise")
    tool = tools.Tool("runwise", (sys.executable, "-c", echo), listed, "as it is")
    monkeypatch.setattr(peers, "TOOLS", (tool,))
    asked = peers.prepared(tmp_path / "logs", tmp_path / "tables")
    rows, notes = peers.rows_of("logs", asked, {"runwise": tmp_path}, 1)
    assert notes == []
    by_tool = {row[1]: row[2:7] for row in rows}
    everything, nothing = "100 % (1 of 1)", "0 % (0 of 1)"
    assert by_tool["spikedoc, on the log itself"] == [everything] * 3 + [nothing] * 2
    assert by_tool["runwise"] == [everything, everything, nothing, everything, everything]
    written = peers.page(rows, {"runwise": "1.0"}, peers.counted("logs", asked))
    assert "- runwise 1.0: as it is." in written
    assert "1 with a fault, 1 without, 1 of these with a loss scale" in written
    assert written.count("| logs |") == 1
