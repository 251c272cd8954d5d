"""What a guest may call (docs/abi.md). Each argument is checked before it is used, and everything is paid for
(docs/gas.md) before it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import NoReturn

from .engine import HostFunction
from .errors import ABSENT
from .failures import failed, trap
from .frames import apply_frames, frame
from .gas import (
    LOG,
    LOG_BYTE,
    PROGRESS,
    SCAN_PAIR,
    SCAN_PASSED,
    SCAN_PASSED_BYTE,
    STORE_GET,
    STORE_SCAN,
    STORE_WRITE,
    GasCounter,
    long_price,
)
from .guest import Guest
from .handles import StoreHandle, StoreHandles
from .limits import (
    BATCH_BYTES,
    FAIL_MESSAGE_BYTES_MAX,
    KEY_BYTES_MAX,
    LOG_BYTES_MAX,
    LOG_LINES_MAX,
    VALUE_BYTES_MAX,
)
from .overlay import OverlayWalk
from .text import guest_line, guest_text, guest_text16

_U32 = 0xFFFFFFFF
_LEVELS = ("debug", "info", "warn", "error")
#: Where a scan goes on after the longest key.
_BOUND_BYTES_MAX = KEY_BYTES_MAX + 1

#: Level ("debug", "info", "warn", "error") and one line of at most 4 KiB. An exception of the callback is dropped.
Log = Callable[[str, str], None]
#: Done and total, in units of the handler's choice. An exception of the callback is dropped.
Progress = Callable[[int, int], None]


class HostImports:
    """The functions of module `chain`, and `env.abort`."""

    def __init__(self, handles: StoreHandles, gas: GasCounter, log: Log | None, progress: Progress | None) -> None:
        self._handles = handles
        self._gas = gas
        self._report_log = log
        self._report_progress = progress
        self._log_lines = 0
        #: Set when the instance exists; nothing calls an import before.
        self.guest: Guest

    def functions(self) -> dict[tuple[str, str], HostFunction]:
        def define(call: Callable[..., int | None], count: int, results: int = 1) -> HostFunction:
            return HostFunction(["i32"] * count, ["i32"] * results, self._entered(call, unsigned=True))

        return {
            ("chain", "store_get"): define(self._get, 5),
            ("chain", "store_set"): define(self._set, 5),
            ("chain", "store_delete"): define(self._delete, 3),
            ("chain", "store_write"): define(self._write, 2),
            ("chain", "store_scan"): define(self._scan, 7),
            ("chain", "log"): define(self._log, 3, 0),
            ("chain", "progress"): HostFunction(["i64", "i64"], [], self._entered(self._progress, unsigned=False)),
            ("chain", "fail"): define(self._fail, 3, 0),
            ("env", "abort"): define(self._abort, 4, 0),
        }

    def _entered(self, call: Callable[..., int | None], unsigned: bool) -> Callable[..., int | None]:
        """Control comes from the guest, and goes back to it unless the run ends."""

        def entered(*args: int) -> int | None:
            self.guest.enter()
            result = call(*(arg & _U32 for arg in args)) if unsigned else call(*args)
            self.guest.leave()
            return result

        return entered

    def _get(self, store: int, at: int, length: int, out: int, cap: int) -> int:
        self._gas.charge(STORE_GET, "store_get")
        handle = self._handles.readable(store)
        key = self._key(handle, at, length)
        self.guest.require(out, cap, "out of store_get")
        value = handle.store.get(key)
        if value is None:
            return -ABSENT
        self._gas.charge(len(value), "store_get")
        if len(value) <= cap:
            self.guest.write(out, value, "out of store_get")
        return len(value)

    def _set(self, store: int, at: int, length: int, value_at: int, value_len: int) -> int:
        self._gas.charge(self._handles.next_write_price(is_put=True), "store_set")
        handle = self._handles.writable(store)
        key = self._key(handle, at, length)
        value = self.guest.read_at_most(value_at, value_len, "a value", VALUE_BYTES_MAX)
        self._gas.charge(len(value), "store_set")
        self._gas.charge(long_price(len(value)), "store_set")
        handle.put(key, value)
        return 0

    def _delete(self, store: int, at: int, length: int) -> int:
        self._gas.charge(self._handles.next_write_price(is_put=False), "store_delete")
        handle = self._handles.writable(store)
        handle.delete(self._key(handle, at, length))
        return 0

    def _write(self, at: int, length: int) -> int:
        self._gas.charge(STORE_WRITE, "store_write")
        self.guest.require(at, length, "ops of store_write")
        self._gas.charge(length, "store_write")
        apply_frames(self._handles, self.guest.read(at, length, "ops of store_write"))
        return 0

    def _scan(self, store: int, start: int, start_len: int, end: int, end_len: int, out: int, cap: int) -> int:
        self._gas.charge(STORE_SCAN, "store_scan")
        first = self.guest.read_at_most(start, start_len, "the start of a scan", _BOUND_BYTES_MAX)
        last = self.guest.read_at_most(end, end_len, "the end of a scan", _BOUND_BYTES_MAX) or None
        self._gas.charge(start_len + end_len, "store_scan")
        self.guest.require(out, cap, "out of store_scan")
        handle = self._handles.readable(store)
        handle.require_range(first, last)
        parts: list[bytes] = []
        with closing(handle.store.walk(first or None, last)) as walk:
            filled = self._fill(walk, cap, parts)
        if filled <= cap:
            self.guest.write(out, b"".join(parts), "out of store_scan")
        return filled

    def _fill(self, walk: OverlayWalk, cap: int, parts: list[bytes]) -> int:
        """By parts, each paid for before the next is read: little is read that cannot be paid, whatever the room."""
        scan = _FrameReader(walk.pairs)
        filled = paid = 0
        part = BATCH_BYTES
        while True:
            end = min(filled + part, cap)
            frames, needed = scan.read(end - filled)
            # Else a handler that deleted much could make the host walk over it again and again for the price of a call.
            passed = walk.passed * SCAN_PASSED + walk.passed_bytes * SCAN_PASSED_BYTE
            self._gas.charge(passed - paid, "store_scan")
            paid = passed
            if needed and filled + needed > cap:
                return filled or needed
            if not frames and not needed:
                return filled
            size = sum(map(len, frames))
            self._gas.charge(len(frames) * SCAN_PAIR + size, "store_scan")
            parts.extend(frames)
            filled += size
            if frames and end == cap:
                return filled
            part = max(needed, BATCH_BYTES)

    def _key(self, handle: StoreHandle, at: int, length: int) -> bytes:
        if length == 0:
            raise trap("an empty key")
        key = self.guest.read_at_most(at, length, "a key", KEY_BYTES_MAX)
        self._gas.charge(length, "a key")
        self._gas.charge(long_price(length), "a key")
        handle.require_key(key)
        return key

    def _log(self, level: int, at: int, length: int) -> None:
        self.guest.require(at, length, "a log line")
        self._gas.charge(LOG + min(length, LOG_BYTES_MAX) * LOG_BYTE, "log")
        if self._log_lines > LOG_LINES_MAX:
            return
        self._log_lines += 1
        if self._report_log is None:
            return
        if self._log_lines > LOG_LINES_MAX:
            what = f"the handler logged {LOG_LINES_MAX} lines; what it logs from here on is left out"
            _report(self._report_log, "warn", what)
            return
        line = self.guest.read(at, min(length, LOG_BYTES_MAX + 4), "a log line")
        _report(self._report_log, _LEVELS[min(level, len(_LEVELS) - 1)], guest_line(line, LOG_BYTES_MAX))

    def _progress(self, done: int, total: int) -> None:
        self._gas.charge(PROGRESS, "progress")
        if self._report_progress is not None:
            _report(self._report_progress, done, total)

    def _fail(self, code: int, at: int, length: int) -> NoReturn:
        self.guest.require(at, length, "the message of fail")
        shown = self.guest.read(at, min(length, FAIL_MESSAGE_BYTES_MAX + 4), "the message of fail")
        message = guest_text(shown, FAIL_MESSAGE_BYTES_MAX)
        number = code - (1 << 32) if code >> 31 else code
        raise failed(f"code {number}: {message}", {"code": str(number), "message": message})

    def _abort(self, message: int, file: int, line: int, column: int) -> NoReturn:
        text = self._string(message) or "abort"
        place = f"{self._string(file) or 'unknown'}:{line}:{column}"
        raise failed(f"{text} at {place}", {"message": text, "place": place})

    def _string(self, at: int) -> str:
        """A string of AssemblyScript: its length is before it. The run ends anyway, so nothing here is a trap."""
        memory = self.guest.memory
        if memory is None or at < 4 or at > memory.size:
            return ""
        length = int.from_bytes(memory.read(at - 4, 4), "little")
        return guest_text16(memory.read(at, min(length, FAIL_MESSAGE_BYTES_MAX, memory.size - at)))


def _report(callback: Callable[..., None], *args: object) -> None:
    """Calls a callback of the caller, whose exceptions must not decide how a run ends."""
    with suppress(Exception):
        callback(*args)


class _FrameReader:
    """Hands out whole frames of a walk; a pair that did not fit comes first the next time."""

    def __init__(self, pairs: Iterator[tuple[bytes, bytes]]) -> None:
        self._pairs = pairs
        self._waiting: bytes | None = None

    def read(self, room: int) -> tuple[list[bytes], int]:
        """As many frames as fit; none, and the bytes that the first one needs; or none and 0 at the end."""
        frames: list[bytes] = []
        filled = 0
        while True:
            if self._waiting is None:
                pair = next(self._pairs, None)
                if pair is None:
                    return frames, 0
                self._waiting = frame(*pair)
            size = len(self._waiting)
            if filled + size > room:
                return frames, 0 if frames else size
            frames.append(self._waiting)
            filled += size
            self._waiting = None
