"""Named pipes where a file belongs: refused in one line, never waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spikedoc.cli.entry import run
from spikedoc.diagnosis import load
from spikedoc.errors import UsageError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
Call = Callable[..., tuple[int, str, str]]
PATIENCE = 100


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def give_up(*_: object) -> None:
        raise AssertionError("waited for the pipe")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    yield path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("step,loss\n" + "".join(f"{i},{2 / (i + 1)}\n" for i in range(50)))
    return path


READ = [
    ["analyze", "PIPE"], ["check", "PIPE"], ["compare", "LOG", "PIPE"], ["sweep", "PIPE"],
    ["scan", "PIPE", "--workers", "0"], ["samples", "PIPE"], ["series", "PIPE"],
    ["convert", "PIPE"], ["report", "PIPE"], ["baseline", "build", "PIPE"],
    ["baseline", "show", "PIPE"], ["scan", "--summary", "PIPE"],
    ["check", "LOG", "--reference", "PIPE"], ["compare", "LOG", "LOG", "--reference", "PIPE"],
    ["check", "LOG", "--config", "PIPE"], ["check", "LOG", "--baseline", "PIPE"],
    ["analyze", "LOG", "--rules", "PIPE"],
]  # fmt: skip
WRITTEN = [
    ["analyze", "LOG", "-o", "PIPE"], ["check", "LOG", "-o", "PIPE"],
    ["check", "LOG", "--format", "json=PIPE"], ["check", "LOG", "--write-baseline", "PIPE"],
    ["convert", "LOG", "-o", "PIPE"], ["series", "LOG", "-o", "PIPE"],
    ["scan", "LOG", "--workers", "0", "-o", "PIPE"],
    ["baseline", "build", "LOG", "--force", "-o", "PIPE"],
]  # fmt: skip


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def called(*words: object) -> tuple[int, str, str]:
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.mark.parametrize("words", [*READ, *WRITTEN], ids=" ".join)
def test_a_pipe_is_refused_in_a_line(call: Call, pipe: Path, log: Path, words: list[str]) -> None:
    given = [word.replace("PIPE", str(pipe)).replace("LOG", str(log)) for word in words]
    code, _, err = call(*given)
    assert code == 2
    assert len([line for line in err.splitlines() if str(pipe) in line]) == 1


def test_python_refuses_it_too(pipe: Path) -> None:
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        load(pipe)


def test_what_a_shell_pipes_in_is_read(call: Call, log: Path, tmp_path: Path) -> None:
    saved = tmp_path / "r.json"
    call("analyze", log, "-o", saved)
    reading, writing = os.pipe()
    os.write(writing, saved.read_bytes()[:1_000])
    os.close(writing)
    code, _, err = call("report", f"/dev/fd/{reading}")
    os.close(reading)
    assert code == 2
    assert "not JSON" in err
