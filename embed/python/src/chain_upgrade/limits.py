"""Bounds of the interface (docs/abi.md) that this host itself checks, the unit last in the name. They are part of consensus."""

PLAN_NAME_BYTES_MAX = 140
PLAN_INFO_BYTES_MAX = 65_536
MODULE_NAME_BYTES_MAX = 140
VERSION_MAP_MODULES_MAX = 1_024
RECEIPT_BYTES_MAX = 524_288

KEY_BYTES_MAX = 65_535
VALUE_BYTES_MAX = 1_048_576
#: A frame's header is two u32: key length (and operation), value length.
FRAME_HEADER_BYTES = 8

INT64_MAX = (1 << 63) - 1
INT64_MIN = -(1 << 63)
UINT64_MAX = (1 << 64) - 1

HANDLER_BYTES_MAX = 1_048_576
MANIFEST_BYTES_MAX = 16_384
GAS_LIMIT_MAX = 1_000_000_000_000
PAGE_BYTES = 65_536

BATCH_BYTES = 65_536
BATCH_OUT_BYTES = 262_144
LOG_BYTES_MAX = 4_096
#: Of one run; later ones are left out of the log, and paid for.
LOG_LINES_MAX = 10_000
FAIL_MESSAGE_BYTES_MAX = 1_024
CHECKS_MAX = 256
CHECK_NAME_BYTES_MAX = 140
CHECK_MESSAGE_BYTES_MAX = 1_024
