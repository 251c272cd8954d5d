"""Cuts a scan into batches (docs/abi.md): whole frames, as many as fit, a larger frame alone.

What a guest did not consume begins the next batch, which is packed again. Where batches end is part of consensus.
"""

from __future__ import annotations

from collections.abc import Iterator

from .frames import frame
from .limits import FRAME_HEADER_BYTES


class ScanBatches:
    """The batches of one scan; frames are read one further than the current batch."""

    def __init__(self, pairs: Iterator[tuple[bytes, bytes]], batch_bytes: int) -> None:
        self._pairs = pairs
        self._batch_bytes = batch_bytes
        #: Frames that were read and not consumed: those of the batch, and perhaps one after them.
        self._frames: list[bytes] = []
        self._batch_frames = 0
        self._is_ended = False
        #: No frame of the scan comes after the batch.
        self.is_last = False
        #: Frames that the guest consumed so far.
        self.consumed = 0

    @property
    def is_done(self) -> bool:
        """Every frame was consumed."""
        return self._is_ended and not self._frames

    @property
    def frame_count(self) -> int:
        """Frames of the current batch."""
        return self._batch_frames

    @property
    def first_key(self) -> bytes | None:
        """Of the current batch."""
        if self._batch_frames == 0:
            return None
        first = self._frames[0]
        return first[FRAME_HEADER_BYTES : FRAME_HEADER_BYTES + int.from_bytes(first[:4], "little")]

    def pack(self) -> bytes:
        """The next batch."""
        length = 0
        count = 0
        while True:
            if count == len(self._frames) and not self._read():
                break
            size = len(self._frames[count])
            if count > 0 and length + size > self._batch_bytes:
                break
            length += size
            count += 1
        self._batch_frames = count
        self.is_last = self._is_ended and count == len(self._frames)
        return b"".join(self._frames[:count])

    def consume(self, length: int) -> bool:
        """Takes bytes off the front. False, and nothing happens, when they end where no frame of the batch does."""
        count = 0
        while length > 0 and count < self._batch_frames:
            length -= len(self._frames[count])
            count += 1
        if length != 0:
            return False
        del self._frames[:count]
        self.consumed += count
        return True

    def _read(self) -> bool:
        if self._is_ended:
            return False
        pair = next(self._pairs, None)
        if pair is None:
            self._is_ended = True
            return False
        self._frames.append(frame(*pair))
        return True
