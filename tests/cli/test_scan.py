from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import fleets
import pytest

from spikedoc.cli.entry import run
from spikedoc.cli.scan import exit_code
from spikedoc.fleet.record import State
from spikedoc.fleet.store import read_store

Call = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]
# All in this process: no worker has to start.
HERE = ("--workers", "0")


@pytest.fixture
def scan(capfd: pytest.CaptureFixture[str]) -> Call:
    def scan(*arguments: object) -> tuple[int, str, str]:
        code = run(["scan", *map(str, arguments)])
        out, err = capfd.readouterr()
        return code, out, err

    return scan


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return fleets.write_tree(tmp_path / "runs")


def test_a_tree_is_summed_up(scan: Call, tree: Path) -> None:
    code, out, err = scan(tree, *HERE, "--lang", "en")
    assert code == 1
    assert out.startswith("4 runs: 1 critical, 3 healthy\n")
    assert "p1/run3" in out
    assert "4 places in" in err


def test_results_are_kept_and_summed_up_later(scan: Call, tree: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.jsonl"
    assert scan(tree, *HERE, "-o", store, "--format", "json", "-q")[0] == 1
    assert len(read_store(store)) == 4
    code, out, err = scan("--summary", store, "--format", "json")
    assert code == 1
    assert err == ""
    assert json.loads(out)["counts"]["critical"] == 1
    assert "1 严重" in scan("--summary", store, "--lang", "zh")[1]
    code, out, err = scan(tree, *HERE, "-o", store)
    assert "4 of them known before" in err


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.db"])
def test_a_bad_batch_of_several_runs_is_named(scan: Call, tmp_path: Path, name: str) -> None:
    root, store = fleets.bad_batch(tmp_path / "runs"), tmp_path / name
    said = "Step 777 spikes in 3 of 8 runs (p/run0, p/run1, p/run2)"
    for arguments in ((root, *HERE, "-o", store), (root, *HERE, "-o", store), ("--summary", store)):
        out = scan(*arguments, "--fail-on", "never", "--lang", "en", "--width", "200")[1]
        assert said in out
    (found,) = json.loads(scan("--summary", store, "--format", "json")[1])["coincidences"]
    assert (found["project"], found["first"], found["points_to_data"]) == ("p", 777, True)


def test_a_store_without_results_is_told(scan: Call, tree: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.jsonl"
    store.touch()
    assert scan("--summary", store) == (2, "", f"spikedoc: {store}: holds no results\n")
    scan(tree, *HERE, "-o", store)
    code, out, err = scan("--summary", store, "--since", "9000-01-01")
    assert (code, out) == (2, "")
    assert err == f"spikedoc: {store}: holds no results since 9000-01-01\n"


def test_a_store_below_the_root_is_no_log(scan: Call, tree: Path) -> None:
    store = tree / "p0" / "runs.jsonl"
    for _ in range(2):
        scan(tree, *HERE, "-o", store, "--html", tree / "html", "--reports", "all")
        assert sorted(one.path for one in read_store(store)) == [
            "p0/run0", "p0/run2", "p1/run1", "p1/run3"
        ]  # fmt: skip


def test_changed_sums_up_what_is_new(scan: Call, tree: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    scan(tree, *HERE, "-o", store)
    code, out, _ = scan(tree, *HERE, "-o", store, "--changed")
    assert (code, out) == (0, "0 runs\n")
    fleets.write_run(tree / "p0/new")
    code, out, _ = scan(tree, *HERE, "-o", store, "--changed")
    assert code == 0
    assert out.startswith("1 run: 1 healthy\n")


def test_changed_tells_what_a_new_run_shares_with_the_others(scan: Call, tmp_path: Path) -> None:
    root, store = fleets.bad_batch(tmp_path / "runs"), tmp_path / "runs.db"
    said = "The same place in several runs"
    scan(root, *HERE, "-o", store)
    fleets.write_run(root / "p/calm", 30, steps=4000)
    assert said not in scan(root, *HERE, "-o", store, "--changed", "--lang", "en")[1]
    fleets.write_run(root / "p/new", 31, spikes=[777], steps=4000)
    out = scan(root, *HERE, "-o", store, "--changed", "--lang", "en", "--width", "200")[1]
    assert out.startswith("1 run: 1 healthy\n")
    assert said in out
    assert "Step 777 spikes in 4 of 10 runs" in out


def test_pages(scan: Call, tree: Path, tmp_path: Path) -> None:
    html = tmp_path / "html"
    _, _, err = scan(tree, *HERE, "--html", html)
    assert "index in" in err
    (page,) = (html / "reports").iterdir()
    assert f'href="reports/{page.name}"' in (html / "index.html").read_text()
    scan(tree, *HERE, "--html", tmp_path / "all", "--reports", "all")
    assert len(list((tmp_path / "all/reports").iterdir())) == 4
    scan(tree, *HERE, "--html", tmp_path / "none", "--reports", "none")
    assert not (tmp_path / "none/reports").exists()


def test_since(scan: Call, tree: Path) -> None:
    os.utime(tree / "p1/run3/metrics.csv", (1, 1))
    code, out, err = scan(tree, *HERE, "--since", "7d")
    assert (code, out.splitlines()[0]) == (0, "3 runs: 3 healthy")
    assert "1 older one passed over" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "a ROOT is missing"),
        (("runs", "--changed"), "--changed needs a STORE"),
        (("runs", "--since", "later"), "--since later"),
        (("runs", "--timeout", "soon"), "--timeout soon"),
        (("runs", "--address", "x"), "--address is for"),
        (("runs", "--map", "x"), "expected ROLE=TAG"),
        (("runs", "-o", "missing/x.jsonl"), "cannot write missing/x.jsonl"),
    ],
)
def test_wrong_usage(scan: Call, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = scan(*arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_roots_that_are_not_there(scan: Call, tree: Path, tmp_path: Path) -> None:
    code, out, err = scan(tmp_path / "nothing", tree / "p0", *HERE)
    assert code == 2
    assert "no such file or folder" in err
    assert out.startswith("2 runs")
    code, out, err = scan(tmp_path / "nothing", *HERE)
    assert (code, out) == (2, "")


def test_exit_codes() -> None:
    bad, good = fleets.record("a", State.CRITICAL), fleets.record("b")
    ill, lost = fleets.record("c", State.WARNING), fleets.record("d", State.UNREADABLE)
    assert exit_code([bad, good], "critical") == 1
    assert exit_code([bad, good], "never") == 0
    assert exit_code([ill, good, lost], "critical") == 0
    assert exit_code([ill, good], "warning") == 1
    assert exit_code([lost], "critical") == 2
    assert exit_code([lost], "never") == 0
    assert exit_code([], "critical") == 2
    assert exit_code([], "critical", may_be_empty=True) == 0
    assert exit_code([bad, fleets.record("e", State.FAILED)], "critical") == 3


def test_a_wrong_rule_file_is_said_before_anything_is_read(
    scan: Call, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/SD999-x.toml").write_text("a = 1")
    code, out, err = scan(tree, *HERE, "--rules", tmp_path / "rules")
    assert (code, out) == (2, "")
    assert "SD999" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.usefixtures("heeded_interrupts")
def test_ctrl_c_ends_it_and_the_next_scan_goes_on(tmp_path: Path) -> None:
    tree, store = fleets.write_tree(tmp_path / "runs", runs=150), tmp_path / "runs.jsonl"
    command = [sys.executable, "-m", "spikedoc", "scan", str(tree), "-o", str(store)]
    process = subprocess.Popen(
        [*command, "--workers", "1"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 50
    while time.monotonic() < until and not (store.exists() and store.stat().st_size):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the workers, too
    out, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert out == ""
    assert "stopped after" in err
    assert "give the same command to go on" in err
    assert "Traceback" not in err
    kept = len(read_store(store))
    assert 0 < kept < 150
    done = subprocess.run(
        [*command, "--workers", "0", "--lang", "en"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"{kept} of them known before" in done.stderr
    assert done.stdout.startswith("150 runs: 1 critical, 149 healthy")


@pytest.mark.parametrize("name", ["r.jsonl", "r.db"])
def test_a_torn_store_goes_on_or_is_told(scan: Call, tree: Path, tmp_path: Path, name: str) -> None:
    store = tmp_path / name
    assert scan(tree, "-o", store, "--fail-on", "never")[0] == 0
    whole = store.read_bytes()
    store.write_bytes(whole[: len(whole) * 2 // 3])
    code, _, told = scan(tree, "-o", store, "--fail-on", "never", "-q")
    if name == "r.jsonl":
        assert code == 0
        assert store.read_bytes().count(b"\n") == whole.count(b"\n")
    else:
        assert code == 2
        (line,) = told.splitlines()
        assert "is damaged" in line
        assert "name another file" in line
