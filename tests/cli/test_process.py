"""The program as a process: imports, pipes, encodings, exit codes as a shell sees them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import report_factory

from spikedoc.model.codec import dumps

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "pandas", "scipy", "tensorboard", "rich", "yaml")


def environment(**extra: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "SYSTEMROOT")}
    return kept | {"PYTHONPATH": str(ROOT)} | extra


def spikedoc(*arguments: str | Path, **extra: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "spikedoc", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, env=environment(**extra), check=False, timeout=60
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("saved") / "r.json"
    file.write_text(dumps(report_factory.failing()), encoding="utf-8")
    return file


@pytest.mark.parametrize("arguments", ["['--help']", "['analyze', '--help']", "['--version']"])
def test_help_loads_nothing_heavy(arguments: str) -> None:
    code = (
        "import sys\nfrom spikedoc.cli.entry import run\n"
        f"assert run({arguments}) == 0\n"
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment(), check=True
    )
    assert done.stderr.decode().strip() == "[]"
    assert done.stdout


@pytest.mark.parametrize(("own", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_the_program_alone_keeps_blas_at_one_thread(own: dict[str, str], used: str) -> None:
    code = (
        "import os, sys\nfrom spikedoc.__main__ import main\nimport spikedoc\n"
        "print(os.environ.get('OPENBLAS_NUM_THREADS'))\nsys.argv = ['spikedoc', '--version']\n"
        "try:\n    main()\nexcept SystemExit:\n    print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment(**own), check=True
    )
    before, *_, after = done.stdout.decode().split()
    assert before == own.get("OPENBLAS_NUM_THREADS", "None")
    assert after == used


def test_help_in_both_spellings_and_version() -> None:
    help_ = spikedoc("--help")
    assert help_.returncode == 0
    assert spikedoc("-h").stdout == help_.stdout
    for word in (b"analyze", b"explain", b"report", b"rules", b"Exit codes"):
        assert word in help_.stdout
    assert spikedoc("--version").stdout.startswith(b"spikedoc ")


def test_a_path_instead_of_a_command(tmp_path: Path) -> None:
    done = spikedoc(tmp_path)
    assert done.returncode == 2
    assert f"spikedoc analyze {tmp_path}".encode() in done.stderr


def test_unknown_command_is_exit_2() -> None:
    assert spikedoc("unheard").returncode == 2


def test_a_pipe_that_closes_is_silent(saved: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "spikedoc", "report", str(saved), "-v"],
            stdout=writing,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(saved: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "spikedoc", "report", str(saved)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        b"spikedoc: cannot write to the standard output: No space left on device\n"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_ascii_console_gets_ascii(saved: Path, lang: str) -> None:
    done = spikedoc("report", saved, "--lang", lang, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert b"CRITICAL" in done.stdout
    assert b"?" not in done.stdout.replace(b"     ? ", b"")


def test_c_locale_gets_ascii_drawing(saved: Path) -> None:
    done = spikedoc("report", saved, LC_ALL="C")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_chinese_console_without_braille(saved: Path) -> None:
    done = spikedoc("report", saved, "--lang", "zh", PYTHONIOENCODING="gbk")
    text = done.stdout.decode("gbk")
    assert "严重" in text
    assert not any(0x2800 <= ord(sign) < 0x2900 for sign in text)


def test_json_on_an_ascii_console_is_whole(saved: Path) -> None:
    done = spikedoc("report", saved, "--format", "json", PYTHONIOENCODING="ascii")
    plain = spikedoc("report", saved, "--format", "json", PYTHONIOENCODING="utf-8")
    import json

    assert json.loads(done.stdout) == json.loads(plain.stdout)


def test_saved_report_from_standard_input(saved: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spikedoc", "report", "-", "--format", "jsonl"],
        input=saved.read_bytes(),
        capture_output=True,
        env=environment(PYTHONIOENCODING="utf-8"),
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.decode().strip() == saved.read_text(encoding="utf-8")


def test_a_pager_gets_the_width_of_its_terminal() -> None:
    """Through a pipe, with the terminal still behind the standard error."""
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 72))
    command = [sys.executable, "-m", "spikedoc", "explain", "SD401"]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=terminal, env=environment(LANG="C.UTF-8"),
            check=False, timeout=60,
        )  # fmt: skip
    finally:
        os.close(controller)
        os.close(terminal)
    longest = max(len(line) for line in done.stdout.decode().splitlines())
    assert 60 < longest <= 72
    assert max(len(line) for line in spikedoc("explain", "SD401").stdout.decode().splitlines()) > 72
