"""Every exception spikedoc raises on purpose.

SpikedocError
├── InputError      the log cannot be read, or holds nothing to judge (exit code 2)
├── UsageError      an option makes no sense (exit code 2)
├── CatalogError    a rule, label or alias file is malformed (exit code 2; a shipped one is a bug)
└── ReportError     a saved report cannot be read back (exit code 2)
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from spikedoc.text import Text

# What the system says most often of a file; it says it in English.
_SYSTEM: Final = {
    errno.ENOENT: "没有该文件或目录",
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


class SpikedocError(Exception):
    """Base of all errors meant for the user; `str(error)` is one line."""


class InputError(SpikedocError):
    """A path that gives no run: says what, where, and what to do."""

    def __init__(self, path: Path | str, reason: Text | str, hint: str = "") -> None:
        """Keep the parts: of a file among others, `text` gets into the notes of a report."""
        self.path = str(path)
        self.text = Text(reason, reason) if isinstance(reason, str) else reason
        self.hint = hint
        super().__init__(f"{self.path}: {self.reason}" + (f" ({hint})" if hint else ""))

    @property
    def reason(self) -> str:
        """The reason in English."""
        return self.text.en


class UsageError(SpikedocError):
    """An option or argument that cannot be followed."""


class CatalogError(SpikedocError):
    """A knowledge file (rule, label, alias) with a mistake: names file and key."""

    def __init__(self, source: Path | str, key: str, reason: str) -> None:
        """`key` is a dotted TOML key, empty when the file as a whole is meant."""
        self.source = str(source)
        self.key = key
        self.reason = reason
        where = f"{self.source}: {key}" if key else self.source
        super().__init__(f"{where}: {reason}")


class ReportError(SpikedocError):
    """A saved report that does not hold what `model.codec` writes."""


def said_by(error: OSError) -> Text:
    """Return what the system says about a file, in lower case."""
    said = (error.strerror or type(error).__name__).lower()
    known = _SYSTEM.get(error.errno or 0)
    return Text(said, known) if known else _UNKNOWN.fill({"said": said})
