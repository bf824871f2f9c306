"""Which engine does the work, by its name."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from spikedoc.errors import UsageError
from spikedoc.fleet.engines.base import Engine
from spikedoc.text import Text

LOKY: Final = "loky"
DASK: Final = "dask"
RAY: Final = "ray"
NAMES: Final = (LOKY, DASK, RAY)
NO_CLUSTER: Final = Text(
    f"--address is for --backend {DASK} and {RAY}", f"--address 只用于 --backend {DASK} 和 {RAY}"
)
OWN_WORKERS: Final = Text("the cluster at --address has its own", "--address 处的集群自有工作进程")
NO_WORKERS: Final = Text(
    "--workers 0 does all in this process, without {name}",
    "--workers 0 全部在本进程内完成，不使用 {name}",
)
NEEDS_PACKAGE: Final = Text(
    "--backend {name} needs a further package: pip install spikedoc[{name}]",
    "--backend {name} 还需要一个软件包：pip install spikedoc[{name}]",
)
# What must be there for those that are not always there.
_PACKAGES: Final = {DASK: "distributed", RAY: "ray"}


def engine(name: str, workers: int | None, address: str | None) -> Engine:
    """Return the engine; `workers` 0 does all in this process, None takes every core.

    Raises UsageError when its package or its cluster is missing, or an option does not fit.
    """
    if address is not None and name == LOKY:
        raise UsageError(NO_CLUSTER)
    if address is not None and workers is not None:
        raise UsageError(OWN_WORKERS, at="--workers")
    if workers == 0 and name != LOKY:
        raise UsageError(NO_WORKERS.fill({"name": name}))
    package = _PACKAGES.get(name)
    if package is not None and find_spec(package) is None:
        raise UsageError(NEEDS_PACKAGE.fill({"name": name}))
    if name == DASK:
        from spikedoc.fleet.engines.dask import DaskEngine

        return DaskEngine(workers, address)
    if name == RAY:
        from spikedoc.fleet.engines.ray import RayEngine

        return RayEngine(workers, address)
    return _local(workers)


def _local(workers: int | None) -> Engine:
    if workers == 0:
        from spikedoc.fleet.engines.serial import SerialEngine

        return SerialEngine()
    from spikedoc.fleet.engines.loky import LokyEngine, usable_cores

    return LokyEngine(workers if workers is not None else usable_cores())
