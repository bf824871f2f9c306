"""Compressed logs: unpacked into a file that is deleted after reading, up to a bound."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from spikedoc.errors import InputError
from spikedoc.ingest.zstd_frames import is_whole
from spikedoc.readers._sniff import HEAD_BYTES
from spikedoc.text import Text

# First bytes of what the four programs write.
_MAGIC: Final = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
# Suffixes that are taken off to get the name of the log itself.
SUFFIXES: Final = frozenset({".gz", ".xz", ".bz2", ".zst"})
# A log larger than this is cut …
MOST_UNPACKED: Final = 1_000_000_000
# … and one that grows more than this beyond the first 100 MB: logs shrink to a tenth, seldom to a
# hundredth; files made to fill a disk to a thousandth.
MOST_GROWTH: Final = 300
UNPACKED_ANYWAY: Final = 100_000_000
_BLOCK: Final = 1_000_000
# Memory an xz file may ask for: its strongest preset takes 65 MB.
MOST_XZ_MEMORY: Final = 200_000_000
# zstd --long=27 is the widest window that its own program takes without being told so.
WIDEST_ZSTD_WINDOW: Final = 1 << 27
_TAR_PLACE: Final = slice(257, 262)
_TAR: Final = b"ustar"
# What a damaged stream raises; zstandard has its own error on top.
_DAMAGE: Final = (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)


def packing_of(head: bytes) -> str:
    """Return the program that packed a file beginning with `head`; empty for a plain file."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def plain_path(path: Path) -> Path:
    """Return the path that the log had before it was packed."""
    return path.with_suffix("") if path.suffix.lower() in SUFFIXES else path


def packed_head(path: Path, packing: str) -> bytes:
    """Return the first 64 KiB of the log inside; raises InputError when nothing comes out."""
    data = bytearray()
    try:
        for block in _blocks(path, packing, HEAD_BYTES):
            data += block
            if len(data) >= HEAD_BYTES:
                break
    except _damage() as error:
        if not data:
            raise InputError(
                path, NOT_READABLE.fill({"packing": packing, "error": str(error)})
            ) from None
    if data[_TAR_PLACE] == _TAR:
        raise InputError(
            path, PACKED_FOLDER, Text("unpack it and give the folder", "请解压后给出目录")
        )
    return bytes(data[:HEAD_BYTES])


FIRST_PART: Final = Text("only the first {size} GB were unpacked", "只解压了前 {size} GB")
CUT: Final = Text(
    "the {packing} data end early or are damaged ({error})",
    "{packing} 数据提前结束或已损坏（{error}）",
)
NOT_READABLE: Final = Text(
    "not a readable {packing} file: {error}", "不是可读的 {packing} 文件：{error}"
)
PACKED_FOLDER: Final = Text("a packed folder (tar)", "打包的目录（tar）")
NEEDS_ZSTANDARD: Final = Text("zstd files need zstandard", "读取 zstd 文件需要 zstandard")


@contextmanager
def unpacked(path: Path, packing: str, notes: list[Text]) -> Iterator[Path]:
    """Give a plain file with the content of `path`, deleted afterwards.

    What is cut, by the bound or by damage, is noted.
    """
    with tempfile.TemporaryDirectory(prefix="spikedoc-") as folder:
        plain = Path(folder) / plain_path(path).name
        bound = min(MOST_UNPACKED, max(UNPACKED_ANYWAY, MOST_GROWTH * path.stat().st_size))
        with plain.open("wb") as target:
            done = 0
            try:
                for block in _blocks(path, packing, _BLOCK):
                    done += target.write(block[: bound - done])
                    if done >= bound:
                        notes.append(FIRST_PART.fill({"size": f"{done / 1e9:.1f}"}))
                        break
            except _damage() as error:
                notes.append(CUT.fill({"packing": packing, "error": str(error)}))
        yield plain


def _damage() -> tuple[type[Exception], ...]:
    try:
        from zstandard import ZstdError
    except ImportError:
        return _DAMAGE
    return (*_DAMAGE, ZstdError)


def _blocks(path: Path, packing: str, size: int) -> Iterator[bytes]:
    """Blocks of the content; what comes before damage is given before the error is raised."""
    with path.open("rb") as file:
        if packing in _DECODERS:
            yield from _decoded(file, _DECODERS[packing], size)
            return
        with _OPEN[packing](file) as stream:
            while block := stream.read1(size):
                yield block
        if packing == "zstd" and not is_whole(file):
            raise EOFError("cut short")


def _decoded(file: BinaryIO, new: Callable[[], Any], size: int) -> Iterator[bytes]:
    """Blocks of one stream after the other, each with a decoder of its own."""
    rest = file.read(size)
    while rest:
        decoder = new()
        while not decoder.eof:
            if decoder.needs_input and not rest and not (rest := file.read(size)):
                raise EOFError("cut short")
            yield decoder.decompress(rest, size)
            rest = b""
        rest = (decoder.unused_data or file.read(size)).lstrip(b"\x00")


def _zstd(file: IO[bytes]) -> Any:
    try:
        import zstandard
    except ImportError:
        hint = Text("pip install zstandard", "请运行 pip install zstandard")
        raise InputError(Path(file.name), NEEDS_ZSTANDARD, hint) from None
    decoder = zstandard.ZstdDecompressor(max_window_size=WIDEST_ZSTD_WINDOW)
    return decoder.stream_reader(file, read_across_frames=True, closefd=False)


_OPEN: Final[dict[str, Callable[[IO[bytes]], Any]]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file),
    "zstd": _zstd,
}
_DECODERS: Final[dict[str, Callable[[], Any]]] = {
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY),
}
