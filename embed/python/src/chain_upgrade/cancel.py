"""Ends a run from another thread, or from the handler of a signal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from wasmtime import Engine


class Cancel:
    """Given to runs as ``cancel``: they end with UPG_HANDLER_ENGINE soon after `cancel` is called, and write nothing.

    >>> cancel = Cancel()
    >>> cancel.cancel()
    >>> cancel.is_cancelled
    True
    """

    def __init__(self) -> None:
        # A signal may come while this thread holds it.
        self._lock = threading.RLock()
        self._engines: list[Engine] = []
        self.is_cancelled = False

    def cancel(self) -> None:
        """May be called at any time and more than once."""
        with self._lock:
            self.is_cancelled = True
            for engine in self._engines:
                engine.increment_epoch()

    @contextmanager
    def watching(self, engine: Engine) -> Iterator[None]:
        """While a run is on the engine, which no other run shares."""
        with self._lock:
            self._engines.append(engine)
        try:
            yield
        finally:
            with self._lock:
                self._engines.remove(engine)
