"""A Ray cluster: one that is there, or one of this machine for the time of the scan."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Sequence
from typing import Any, Final

from spikedoc.fleet.engines.base import Done, Work, all_of, no_cluster

# Ray itself waits for minutes for a cluster that is not there, and prints meanwhile.
CONNECT_SECONDS: Final = 10
_HOST: Final = re.compile(r"(?:ray://)?\[?(?P<host>[^\[\]/]+)\]?:(?P<port>\d{1,5})")


class RayEngine:
    """Hands batches to Ray as tasks that it does not repeat: the schedule does."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        """Connect to the cluster; raises UsageError when none answers at `address`."""
        import ray

        _knock(address)
        how: dict[str, Any] = {"address": address} if address else {"num_cpus": workers}
        if not address:
            how |= {"address": "local", "include_dashboard": False}
        try:
            ray.init(log_to_driver=False, logging_level=logging.CRITICAL, **how)
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise no_cluster("Ray", address, error) from None
        self._ray = ray
        self._do = ray.remote(max_retries=0, num_cpus=1)(all_of)
        self.slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._flying: dict[Any, int] = {}

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        """Hand the batch to Ray."""
        self._flying[self._do.remote(work, list(items))] = ticket

    def wait(self) -> list[Done]:
        """Return what is done; None for a batch whose worker died."""
        done, _ = self._ray.wait(list(self._flying), num_returns=1)
        return [(self._flying.pop(one), self._result(one)) for one in done]

    def close(self, *, now: bool) -> None:
        """Leave the cluster; one of this machine ends with it."""
        if now:
            for one in self._flying:
                self._ray.cancel(one, force=True)
        self._flying.clear()
        self._ray.shutdown()

    def _result(self, one: Any) -> list[Any] | None:
        """The results; None when the worker died. What the work itself raised is raised."""
        from ray import exceptions

        try:
            found: list[Any] = self._ray.get(one)
        except exceptions.RayTaskError as error:
            raise error.cause from None
        except exceptions.RayError:
            return None
        return found


def _knock(address: str | None) -> None:
    """Raise UsageError when nobody listens at the address of a cluster; `auto` is left to Ray."""
    match = _HOST.fullmatch(address or "")
    if match is None:
        return
    try:
        with socket.create_connection((match["host"], int(match["port"])), CONNECT_SECONDS):
            pass
    except (OSError, OverflowError) as error:
        raise no_cluster("Ray", address, error) from None
