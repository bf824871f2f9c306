"""What is said about the work itself, and in which language."""

from __future__ import annotations

import pytest

from spikedoc.cli.messages import say_crash
from spikedoc.cli.session import Session


def crash() -> ZeroDivisionError:
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError as error:
        return error
    raise AssertionError


def test_one_line_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    say_crash(crash(), Session())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "ZeroDivisionError" in err
    assert "--traceback" in err


def test_the_traceback_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    say_crash(crash(), Session(traceback=True))
    err = capsys.readouterr().err
    assert "1 / 0" in err
    assert "please report it" in err


def test_what_a_log_put_into_the_message_cannot_act(capsys: pytest.CaptureFixture[str]) -> None:
    say_crash(ValueError("a\x1b[31m\nb"), Session())
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1
