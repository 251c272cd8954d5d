"""Temporary file for the writes of one run that exceed its memory: a private SQLite database with a table per store.

Nothing here decides how a handler's run ends on other nodes: a full disk, a damaged file and a reached bound are errors
of this machine, UPG_STORE_FULL and UPG_STORE_IO.
"""

from __future__ import annotations

import errno
import os
import tempfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from .errors import UpgradeError

if TYPE_CHECKING:
    import sqlite3

_PAGE_BYTES = 16_384
_CACHE_KIB = 16_384
_LOCAL = "It says nothing about the handler: with more allowed, or more space, the same run succeeds"


class SpillFile:
    """One file. It exists from the first write, has no name where the system allows that, and `close` removes it."""

    def __init__(self, folder: str | os.PathLike[str] | None, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._tables = 0
        with _errors(bytes_max):
            handle, self._path = tempfile.mkstemp(prefix="chain-upgrade-", suffix=".spill", dir=folder)
            os.close(handle)
            self._database: sqlite3.Connection | None = None
            try:
                self._database = _open(self._path, bytes_max)
                self._unlink()
            except BaseException:
                self.close()
                raise

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Removes the file. A second call does nothing."""
        database, self._database = getattr(self, "_database", None), None
        if database is not None:
            database.close()
        if hasattr(self, "_path"):
            self._unlink()

    def new_table(self) -> SpilledTable:
        self._tables += 1
        with _errors(self._bytes_max):
            self.database.execute(
                f"CREATE TABLE writes_{self._tables} (key BLOB PRIMARY KEY, value BLOB, sum INTEGER) WITHOUT ROWID"
            )
        return SpilledTable(self, f"writes_{self._tables}", self._bytes_max)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        with _errors(self._bytes_max):
            (pages,) = self.database.execute("PRAGMA page_count").fetchone()
        return int(pages) * _PAGE_BYTES

    @property
    def database(self) -> sqlite3.Connection:
        if self._database is None:
            raise UpgradeError("UPG_INVALID_ARGUMENT", "this run's writes were written or discarded before")
        return self._database

    def _unlink(self) -> None:
        # Windows refuses while the file is open; `close` tries again.
        with suppress(OSError):
            os.unlink(self._path)


class SpilledTable:
    """The spilled writes to one store: the last of each key, None for a deletion."""

    def __init__(self, file: SpillFile, name: str, bytes_max: int) -> None:
        self._file = file
        self._name = name
        self._bytes_max = bytes_max

    def add(self, writes: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Replaces earlier writes to the same keys. Quickest when keys ascend."""
        rows = ((key, value, _sum(key, value)) for key, value in writes)
        database = self._file.database
        with _errors(self._bytes_max):
            database.execute("BEGIN")
            database.executemany(f"INSERT OR REPLACE INTO {self._name} VALUES (?, ?, ?)", rows)
            database.execute("COMMIT")

    def find(self, key: bytes) -> tuple[bytes | None] | None:
        """The write to a key, in a tuple of one; None without a write."""
        with _errors(self._bytes_max):
            row = self._file.database.execute(f"SELECT value, sum FROM {self._name} WHERE key = ?", (key,)).fetchone()
        return None if row is None else (_checked(key, *row),)

    def walk(self, start: bytes | None, end: bytes | None) -> Generator[tuple[bytes, bytes | None], None, None]:
        """start <= key < end, ascending."""
        query, bounds = f"SELECT key, value, sum FROM {self._name} WHERE key >= ?", [start or b""]
        if end is not None:
            query, bounds = f"{query} AND key < ?", [*bounds, end]
        with _errors(self._bytes_max):
            rows: Iterator[tuple[bytes, bytes | None, int]] = self._file.database.execute(
                f"{query} ORDER BY key", bounds
            )
        while True:
            with _errors(self._bytes_max):
                row = next(rows, None)
            if row is None:
                return
            yield row[0], _checked(*row)


def _open(path: str, bytes_max: int) -> sqlite3.Connection:
    try:
        import sqlite3
    except ImportError as cause:
        what = (
            "this Python was built without the module sqlite3, which holds a run's writes beyond overlay_memory_bytes"
        )
        raise UpgradeError("UPG_STORE_FULL", f"{what}. {_LOCAL}") from cause
    # A run may be written by another thread than the one that made it.
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for setting in (
        f"page_size={_PAGE_BYTES}",
        f"cache_size=-{_CACHE_KIB}",
        f"max_page_count={max(bytes_max // _PAGE_BYTES, 1)}",
        # The file is dropped with the run, whatever happens: there is nothing to roll back and nothing to sync.
        "locking_mode=EXCLUSIVE",
        "journal_mode=OFF",
        "synchronous=OFF",
        "cell_size_check=ON",
    ):
        database.execute(f"PRAGMA {setting}").fetchall()
    return database


def _sum(key: bytes, value: bytes | None) -> int:
    return zlib.crc32(value or b"", zlib.crc32(key))


def _checked(key: bytes, value: bytes | None, due: int) -> bytes | None:
    if _sum(key, value) != due:
        raise UpgradeError("UPG_STORE_IO", f"the temporary file of the handler's writes is damaged. {_LOCAL}")
    return value


@contextmanager
def _errors(bytes_max: int) -> Iterator[None]:
    """Turns errors of the disk and of SQLite into ours."""
    try:
        yield
    except UpgradeError:
        raise
    except Exception as cause:
        if not (isinstance(cause, OSError) or type(cause).__module__ == "sqlite3"):
            raise
        is_full = getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "is full" in str(cause)
        if is_full:
            what = (
                f"no room for the handler's writes: the disk is full, or the overlay_disk_bytes, {bytes_max}, are used"
            )
            raise UpgradeError("UPG_STORE_FULL", f"{what}. {_LOCAL}") from cause
        what = f"cannot write or read the temporary file of the handler's writes: {cause}"
        raise UpgradeError("UPG_STORE_IO", f"{what}. {_LOCAL}") from cause
