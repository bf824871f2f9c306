"""Event files of every kind, and a plain reader of them that knows no shortcut."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from tensorboard.util.tensor_util import make_ndarray, make_tensor_proto

Points = dict[str, list[tuple[int, float, float]]]  # tag: step, wall time, value
SHORT = 256  # longer records without a scalar need not fit their checksum


def record(data: bytes) -> bytes:
    header = struct.pack("<Q", len(data))
    sums = struct.pack("<I", masked_crc32c(header)), struct.pack("<I", masked_crc32c(data))
    return header + sums[0] + data + sums[1]


def value(tag: str, number: float, kind: str) -> Any:
    """A summary value as one of the writers makes it."""
    scalars = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
    if kind == "simple":
        return Summary.Value(tag=tag, simple_value=number)
    if kind == "histogram":
        histogram = HistogramProto(min=number, bucket=[number] * 3, bucket_limit=[1.0, 2.0, 3.0])
        return Summary.Value(tag=tag, histo=histogram)
    if kind == "image":
        return Summary.Value(tag=tag, image=Summary.Image(encoded_image_string=b"\x09" * 3000))
    if kind == "text":
        text = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
        return Summary.Value(tag=tag, tensor=make_tensor_proto("words"), metadata=text)
    if kind == "vector":
        return Summary.Value(tag=tag, tensor=make_tensor_proto(np.arange(3.0)))
    if kind == "float":
        tensor = TensorProto(dtype=1, float_val=[number])
    elif kind.startswith("packed "):
        array = packed(number, kind)
        tensor = TensorProto(dtype=make_tensor_proto(array).dtype)
        tensor.tensor_content = array.tobytes()
    else:
        tensor = make_tensor_proto(packed(number, kind))
    return Summary.Value(tag=tag, tensor=tensor, metadata=scalars)


def packed(number: float, kind: str) -> Any:
    dtype = np.dtype(kind.rpartition(" ")[2])
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.array(number).astype(dtype)
    return np.array(int(np.clip(np.nan_to_num(number), -1000, 1000)), dtype=dtype)


NUMBERS = (
    "simple",
    "float",
    "listed float64",
    "listed float16",
    "listed int32",
    "listed int64",
    "packed float32",
    "packed float64",
    "packed float16",
    "packed int64",
)
OTHERS = ("histogram", "image", "text", "vector")


def event(step: int, wall: float, values: Sequence[Any]) -> bytes:
    message = Event(wall_time=wall, step=step, summary=Summary(value=values))
    return record(message.SerializeToString())


def plain_read(content: bytes) -> Points:
    """Walk the records one by one; behind damage go on at the next header that is valid."""
    points: Points = {}
    for data, is_whole in _records(content):
        try:
            message = Event.FromString(data)
        except DecodeError:
            continue
        found = [(one.tag, number(one)) for one in message.summary.value]
        for tag, scalar in found if is_whole else ():
            if scalar is not None:
                points.setdefault(tag, []).append((message.step, message.wall_time, scalar))
    return points


def number(one: Any) -> float | None:
    """The scalar in a summary value, None if it holds something else."""
    if one.WhichOneof("value") == "simple_value":
        return float(one.simple_value)
    if one.WhichOneof("value") != "tensor":
        return None
    if one.metadata.plugin_data.plugin_name not in ("", "scalars") or one.tensor.dtype == 7:
        return None
    array = make_ndarray(one.tensor)
    return float(array.item()) if array.size == 1 else None


def _records(content: bytes) -> Iterator[tuple[bytes, bool]]:
    place = 0
    while place + 12 <= len(content):
        length = _length(content, place)
        if length is None or place + 16 + length > len(content):
            place += 1
            continue
        data = content[place + 12 : place + 12 + length]
        (stored,) = struct.unpack_from("<I", content, place + 12 + length)
        yield data, stored == masked_crc32c(data)
        place += 16 + length


def _length(content: bytes, place: int) -> int | None:
    if content[place + 4 : place + 8] != b"\0\0\0\0":
        return None
    header = content[place : place + 8]
    (stored,) = struct.unpack_from("<I", content, place + 8)
    return struct.unpack("<Q", header)[0] if stored == masked_crc32c(header) else None
