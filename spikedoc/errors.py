"""Every exception spikedoc raises on purpose.

SpikedocError
├── InputError      the log cannot be read, or holds nothing to judge (exit code 2)
├── UsageError      an option makes no sense (exit code 2)
├── CatalogError    a rule, label or alias file is malformed (exit code 2; a shipped one is a bug)
└── ReportError     a saved report cannot be read back (exit code 2)
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from spikedoc.text import Text, listed

# What the system says most often of a file; it says it in English.
_SYSTEM: Final = {
    errno.ENOENT: "没有该文件或目录",
    errno.ENOSPC: "设备上没有剩余空间",
    errno.EROFS: "文件系统是只读的",
    errno.EEXIST: "文件已存在",
    errno.EACCES: "权限不足",
    errno.EPERM: "操作不被允许",
    errno.EISDIR: "这是一个目录",
    errno.ENOTDIR: "路径中有一部分不是目录",
    errno.EIO: "输入/输出错误",
    errno.ELOOP: "符号链接层数过多",
    errno.ENAMETOOLONG: "文件名过长",
    errno.ESTALE: "文件句柄已失效",
    errno.EMFILE: "打开的文件过多",
    errno.ETIMEDOUT: "操作超时",
}
_UNKNOWN: Final = Text("{said}", "系统报告：{said}")


NOT_A_FILE: Final = Text("not a regular file", "不是普通文件")
BOOLEAN_EXPECTED: Final = Text("expected true or false", "应为 true 或 false")

# Said of a file that should be a saved report.
NOT_UTF8: Final = Text(
    "not UTF-8 text, so not a saved report", "不是 UTF-8 文本，因而不是保存的报告"
)
NOT_A_REPORT: Final = Text(
    "not a report saved by spikedoc: {reason}", "不是 spikedoc 保存的报告：{reason}"
)


class SpikedocError(Exception):
    """Base of all errors meant for the user: `text` is one line, `str(error)` the English one."""

    def __init__(self, text: Text | str, *, at: Path | str | Text = "") -> None:
        """`at` is the file, key or option at fault, told before the text."""
        told, place = _in_both(text), _in_both(at)
        self.text = Text(f"{place.en}: {told.en}", f"{place.zh}：{told.zh}") if place.en else told
        super().__init__(self.text.en)

    def __reduce__(self) -> tuple[object, ...]:
        """Return what makes the same error in another process: its parts, not the arguments."""
        return _rebuilt, (type(self), self.args, self.__dict__)


class InputError(SpikedocError):
    """A path that gives no run: says what, where, and what to do."""

    def __init__(self, path: Path | str, reason: Text | str, hint: Text | str = "") -> None:
        """Keep the parts: of a file among others, `why` gets into the notes of a report."""
        self.path = str(path)
        self.why = _in_both(reason)
        self.advice = _in_both(hint)
        told = self.why
        if self.advice.en:
            told = Text(f"{told.en} ({self.advice.en})", f"{told.zh}（{self.advice.zh}）")
        super().__init__(told, at=self.path)

    @property
    def reason(self) -> str:
        """The reason in English."""
        return self.why.en

    @property
    def hint(self) -> str:
        """What to do, in English."""
        return self.advice.en


class UsageError(SpikedocError):
    """An option or argument that cannot be followed."""


class CatalogError(SpikedocError):
    """A knowledge file (rule, label, alias) with a mistake: names file and key."""

    def __init__(self, source: Path | str, key: str, reason: Text | str) -> None:
        """`key` is a dotted TOML key, empty when the file as a whole is meant."""
        self.source = str(source)
        self.key = key
        self.reason = _in_both(reason).en
        super().__init__(reason, at=f"{self.source}: {key}" if key else self.source)


class ReportError(SpikedocError):
    """A saved report that does not hold what `model.codec` writes."""


def _rebuilt(
    kind: type[SpikedocError], told: tuple[object, ...], parts: dict[str, object]
) -> SpikedocError:
    error = kind.__new__(kind, *told)
    error.__dict__.update(parts)
    return error


def _in_both(text: Text | Path | str) -> Text:
    return text if isinstance(text, Text) else Text(str(text), str(text))


def cannot_write(file: Path | str, error: OSError) -> UsageError:
    """Return the error to raise when `file` cannot be written."""
    return UsageError(reason_of(error), at=Text(f"cannot write {file}", f"无法写入 {file}"))


def cannot_read(file: Path | str, error: OSError) -> UsageError:
    """Return the error to raise when `file` cannot be read."""
    return UsageError(reason_of(error), at=Text(f"cannot read {file}", f"无法读取 {file}"))


NO_FILE: Final = Text("neither a file nor a folder", "既不是文件也不是目录")
NO_PIPES: Final = Text("pipes and devices are not read", "不读取管道和设备")
A_PIPE: Final = Text(
    "a named pipe, whose reader may never come; write to - and redirect",
    "是命名管道，可能一直没有读取方；请写到 - 并重定向",
)
# What a shell gives for `<(command)` is a pipe that somebody writes to.
_OPEN_PLACES: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def keep_off_devices(file: Path | str) -> None:
    """Raise UsageError for a file to read that is a named pipe or a device: it may never end."""
    path = Path(file)
    is_odd = path.exists() and not (path.is_file() or path.is_dir())
    if is_odd and not str(path).startswith(_OPEN_PLACES):
        told = Text(f"{NO_FILE.en} ({NO_PIPES.en})", f"{NO_FILE.zh}（{NO_PIPES.zh}）")
        raise UsageError(told, at=path)


def keep_off_pipes(file: Path) -> None:
    """Raise UsageError for a file to write that is a named pipe: opening it waits for a reader."""
    if file.is_fifo() and not str(file).startswith("/dev/"):
        raise UsageError(A_PIPE, at=Text(f"cannot write {file}", f"无法写入 {file}"))


def one_of(words: Iterable[str]) -> Text:
    """Return what is expected where only some words are."""
    return Text("expected one of {words}", "应为下列之一：{words}").fill({"words": listed(words)})


def also(told: Text, more: Text) -> Text:
    """Return both, one after the other."""
    return Text(f"{told.en}; {more.en}", f"{told.zh}；{more.zh}")


def did_you_mean(word: str) -> Text:
    """Return the question after a word that was nearly right."""
    return Text(f"did you mean {word}?", f"是否想写 {word}？")


def reason_of(error: OSError) -> Text:
    """Return what the system says, in its own words."""
    return _system(error, error.strerror or str(error))


def said_by(error: OSError) -> Text:
    """Return what the system says about a file, in lower case."""
    return _system(error, (error.strerror or type(error).__name__).lower())


def _system(error: OSError, said: str) -> Text:
    known = _SYSTEM.get(error.errno or 0)
    return Text(said, known) if known else _UNKNOWN.fill({"said": said})
