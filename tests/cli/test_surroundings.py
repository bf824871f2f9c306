"""Every command in odd surroundings: a clear message and a documented exit code, never a hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import report_factory

from spikedoc.model.codec import dumps

ROOT = Path(__file__).parents[2]
# Far beyond what any of these takes: only a hang gets there.
PATIENCE = 120
DOCUMENTED = (0, 1, 2)

# `{log}` is a log, `{saved}` a saved report; every command there is.
COMMANDS = {
    "analyze": ["analyze", "{log}"],
    "check": ["check", "{log}"],
    "compare": ["compare", "{log}", "{log}"],
    "sweep": ["sweep", "{log}", "{log}"],
    "scan": ["scan", "{log}", "--workers", "0"],
    "baseline": ["baseline", "build", "{log}", "--force"],
    "series": ["series", "{log}"],
    "convert": ["convert", "{log}"],
    "explain": ["explain", "SD401"],
    "rules": ["rules"],
    "report": ["report", "{saved}"],
    "schema": ["schema"],
}
READING = [name for name, words in COMMANDS.items() if "{log}" in words]
# What each command must at least bear; the others differ in what is read, not in how it is written.
SHOWING = ["analyze", "compare", "scan", "convert", "explain", "report"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    loss = 2.0 * np.exp(-np.arange(120) / 60) + 0.1
    loss[100:] = np.nan
    rows = [json.dumps({"step": step, "loss": value}) for step, value in enumerate(loss)]
    (folder / "log.jsonl").write_text("\n".join(rows))
    (folder / "saved.json").write_text(dumps(report_factory.failing()), encoding="utf-8")
    return folder


def command(name: str, place: Path, log: str | bytes | None = None) -> list[str | bytes]:
    given = str(place / "log.jsonl") if log is None else log
    filled: list[str | bytes] = [sys.executable, "-m", "spikedoc"]
    for word in COMMANDS[name]:
        if word == "{log}":
            filled.append(given)
        else:
            filled.append(word.replace("{saved}", str(place / "saved.json")))
    return filled


def environment(**extra: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | extra


def done(
    words: list[str | bytes], *, env: dict[str, str] | None = None, **how: object
) -> subprocess.CompletedProcess[bytes]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        words,
        env=environment() if env is None else env,
        check=False,
        timeout=PATIENCE,
        **(streams | how),
    )


def done_here(
    words: list[str | bytes], capture: pytest.CaptureFixture[bytes]
) -> subprocess.CompletedProcess[bytes]:
    """The same in this process, where nothing about the process itself is asked: far sooner."""
    from spikedoc.cli.entry import run

    code = run([os.fsdecode(word) for word in words[3:]])
    out, err = capture.readouterr()
    return subprocess.CompletedProcess(words, code, out, err)


def is_clear(said: subprocess.CompletedProcess[bytes]) -> None:
    assert said.returncode in DOCUMENTED, said.stderr
    for stream in (said.stdout or b"", said.stderr or b""):
        assert b"Traceback" not in stream
        assert b"internal error" not in stream
        assert b"Exception ignored" not in stream


SETTINGS = {
    "no home, no terminal": {},
    "a home that is not there": {"HOME": "/nowhere/at/all", "TMPDIR": "/nowhere"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "japanese": {"LC_ALL": "ja_JP.eucJP", "PYTHONIOENCODING": "euc_jp"},
    "ascii": {"PYTHONIOENCODING": "ascii", "LANG": "zh_CN.UTF-8"},
    "strict ascii": {"PYTHONIOENCODING": "ascii:strict"},
    "unknown locale": {"LC_ALL": "xx_YY.nothing", "LANGUAGE": "::"},
    "no columns": {"COLUMNS": "0", "LINES": "0"},
    "one column": {"COLUMNS": "1", "TERM": "dumb"},
    "nonsense": {"COLUMNS": "-7x", "TERM": "\x1b[", "FORCE_COLOR": "x", "LANG": "\udcff"},
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", SHOWING)
def test_odd_environments(name: str, setting: str, place: Path) -> None:
    said = done(command(name, place), env=environment(**SETTINGS[setting]))
    is_clear(said)
    assert said.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_environment_is_not_shown(
    name: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setenv("MY_SETTING", "hidden-value-17")
    said = done_here(command(name, place), capfdbinary)
    is_clear(said)
    assert b"hidden-value-17" not in said.stdout + said.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(name: str, place: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        said = done(command(name, place), stdout=full)
    is_clear(said)
    assert said.returncode == 2
    assert b"No space left" in said.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", ["analyze", "check", "compare", "sweep", "series", "convert"])
def test_a_file_on_a_full_disk(name: str, place: Path) -> None:
    form = ["--format", "csv"] if name == "convert" else []
    said = done([*command(name, place), *form, "-o", "/dev/full"])
    is_clear(said)
    assert said.returncode == 2
    assert b"cannot write /dev/full: No space left" in said.stderr


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams(name: str, closed: str, place: Path) -> None:
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", *command(name, place)]
    said = done(words)
    is_clear(said)
    if closed == ">&-":
        assert said.returncode == 2
        assert b"standard output" in said.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_that_goes_away(name: str, place: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        said = done(command(name, place), stdout=writing)
    finally:
        os.close(writing)
    is_clear(said)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.usefixtures("heeded_interrupts")
def test_an_interrupt_while_modules_are_imported(tmp_path: Path) -> None:
    slow = tmp_path / "numpy.py"
    slow.write_text("import time\nprint('here', flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen(
        [sys.executable, "-c", _EARLY, str(slow)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == b""


_EARLY = """
import sys, pathlib
path = pathlib.Path(sys.argv.pop())

class Slow:
    def find_spec(self, name, *_):
        if name == "click":
            exec(path.read_text())

sys.meta_path.insert(0, Slow())
from spikedoc.__main__ import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("name", ["analyze", "scan"])
@pytest.mark.usefixtures("heeded_interrupts")
def test_an_interrupt(name: str, place: Path, tmp_path: Path) -> None:
    """Standard input never ends, or the scan has begun with a thousand places."""
    store = tmp_path / "runs.jsonl"
    if name == "analyze":
        words = [sys.executable, "-m", "spikedoc", "analyze", "-"]
    else:
        for number in range(1000):
            folder = tmp_path / "runs" / f"run{number}"
            folder.mkdir(parents=True)
            (folder / "log.jsonl").write_bytes((place / "log.jsonl").read_bytes())
        words = [sys.executable, "-m", "spikedoc", "scan", str(tmp_path / "runs")]
        words += ["--workers", "0", "-o", str(store)]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        if name == "analyze":
            time.sleep(5)
        until = time.monotonic() + PATIENCE
        while name == "scan" and not _lines_in(store) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert b"Traceback" not in out + err


def _lines_in(store: Path) -> int:
    return store.read_bytes().count(b"\n") if store.exists() else 0


def odd(kind: str, folder: Path) -> str | bytes:
    """Make a place of this kind and return its path."""
    path = folder / "odd.csv"
    make = {
        "fifo": lambda: os.mkfifo(path),
        "loop": lambda: path.symlink_to(path),
        "dangling": lambda: path.symlink_to(folder / "nothing.csv"),
        "empty": path.touch,
        "empty folder": path.mkdir,
        "below a file": lambda: path.write_text("step,loss\n1,2\n"),
    }
    named = {
        "too long": str(folder / ("x" * 5000)),
        "newline": str(folder / "no\nlog\x1b[31m.csv"),
        "invalid UTF-8": bytes(folder) + b"/no\xff\xfelog.csv",
        "below a file": str(path / "x.csv"),
        "/dev/null": "/dev/null",
        "/dev/zero": "/dev/zero",
    }
    if kind in make:
        make[kind]()
    return named.get(kind, str(path))


KINDS = [
    *("fifo", "loop", "dangling", "missing", "empty", "empty folder", "too long", "newline"),
    *("invalid UTF-8", "below a file", "/dev/null", "/dev/zero"),
]


@pytest.mark.skipif(os.name != "posix", reason="POSIX files")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READING)
def test_a_place_that_is_no_log(
    name: str, kind: str, place: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    said = done_here(command(name, place, odd(kind, tmp_path)), capfdbinary)
    is_clear(said)
    assert said.returncode == 2
    assert said.stderr.startswith(b"spikedoc: ")
    assert b"\x1b" not in said.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
@pytest.mark.parametrize("name", READING)
def test_a_file_that_may_not_be_read(
    name: str, place: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "log.csv"
    file.write_text("step,loss\n1,2\n")
    file.chmod(0)
    said = done_here(command(name, place, str(file)), capfdbinary)
    is_clear(said)
    assert said.returncode == 2
    assert b"ermission" in said.stderr


@pytest.mark.parametrize("sign", [b"\n", b"\xff", b"\x1b[31m", b"'\"`$(x)", "中文".encode()])
@pytest.mark.parametrize("name", READING)
def test_a_log_with_an_odd_name(
    name: str, sign: bytes, place: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = bytes(tmp_path) + b"/a" + sign + b"b.jsonl"
    Path(os.fsdecode(path)).write_bytes((place / "log.jsonl").read_bytes())
    said = done_here(command(name, place, path), capfdbinary)
    is_clear(said)
    assert said.stdout
    assert b"\x1b" not in said.stdout + said.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")
@pytest.mark.parametrize("name", ["analyze", "scan", "check"])
def test_a_folder_that_cannot_be_written(name: str, place: Path, tmp_path: Path) -> None:
    """The current folder is only read; a file that cannot be made there is told."""
    target = tmp_path / "gone"
    target.mkdir()
    words = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(target), *command(name, place)]
    said = done(words)
    is_clear(said)
    assert said.stdout
    said = done([*command(name, place), "-o", str(tmp_path / "no" / "such" / "out.txt")])
    is_clear(said)
    assert said.returncode == 2 or name == "scan"


OUTPUTS = {
    "a folder": "is a directory",
    "below a file": "Not a directory",
    "a loop": "symbolic links",
    "a link to nowhere": "No such file",
    "a name that is too long": "File name too long",
    "nothing": "Is a directory",
}


@pytest.mark.skipif(os.name != "posix", reason="POSIX files")
@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("name", ["analyze", "series", "report"])
def test_an_output_that_cannot_be(
    name: str, kind: str, place: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "link").symlink_to("/no/such/place")
    made = {
        "a folder": str(tmp_path),
        "below a file": str(tmp_path / "file" / "x"),
        "a loop": str(tmp_path / "loop"),
        "a link to nowhere": str(tmp_path / "link"),
        "a name that is too long": str(tmp_path / ("x" * 300)),
        "nothing": "",
    }
    said = done_here([*command(name, place), "-o", made[kind]], capfdbinary)
    is_clear(said)
    assert said.returncode == 2
    assert OUTPUTS[kind].encode() in said.stderr


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.usefixtures("heeded_interrupts")
def test_an_interrupt_while_a_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a table is no damage of it."""
    from spikedoc.cli.entry import run
    from spikedoc.readers import csv

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "log.csv").write_text("step,loss\n" + "".join(f"{n},1.5\n" for n in range(99)))
    monkeypatch.setattr(csv, "_parse", interrupted)
    assert run(["analyze", str(tmp_path / "log.csv"), "-q"]) == 130


def test_a_file_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the search and the reading; the others are read."""
    from spikedoc.cli.entry import run
    from spikedoc.ingest import reading

    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        rows = [json.dumps({"step": s, "loss": 1.0 / (s + 1)}) for s in range(50)]
        (tmp_path / name / "log.jsonl").write_text("\n".join(rows))
    read = reading.Reading.read

    def first_gone(self: reading.Reading, files: object) -> object:
        (tmp_path / "a" / "log.jsonl").unlink(missing_ok=True)
        return read(self, files)  # type: ignore[arg-type]

    monkeypatch.setattr(reading.Reading, "read", first_gone)
    assert run(["analyze", str(tmp_path), "-q"]) == 0
    assert run(["analyze", str(tmp_path / "a"), "-q"]) == 2


def test_very_many_files(tmp_path: Path, place: Path) -> None:
    """A search ends; what it did not look at is told."""
    for number in range(100_000):
        os.close(os.open(tmp_path / f"{number}.txt", os.O_CREAT | os.O_WRONLY))
    log = tmp_path / "zzz.jsonl"
    log.write_bytes((place / "log.jsonl").read_bytes())
    said = done(command("analyze", place, str(tmp_path)))
    is_clear(said)
    assert said.returncode == 2
    assert b"more than 5000 files; the rest was left out" in said.stderr
    log.rename(tmp_path / "00.jsonl")
    said = done(command("analyze", place, str(tmp_path)))
    is_clear(said)
    assert said.returncode == 1
    assert b"more than 5000 files" in said.stdout
