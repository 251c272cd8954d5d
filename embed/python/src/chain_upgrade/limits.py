"""Every bound of the interface (docs/abi.md), the unit last in its name. They are part of consensus."""

PLAN_NAME_BYTES_MAX = 140
PLAN_INFO_BYTES_MAX = 65_536
MODULE_NAME_BYTES_MAX = 140
STORE_NAME_BYTES_MAX = 128
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
HANDLER_STORES_MAX = 64
STORE_PREFIXES_MAX = 64
SCANS_MAX = 64
JSON_NESTING_MAX = 16
GAS_LIMIT_MAX = 1_000_000_000_000
CUSTOM_SECTIONS_MAX = 64
IMPORTS_MAX = 16
MEMORY_INITIAL_PAGES_MAX = 256
MEMORY_PAGES_MAX = 512
PAGE_BYTES = 65_536

#: Of a metered module: what a file may have, and what metering may add to it.
LOCALS_TOTAL_MAX = 50_000
LOOPS_MAX = 256
LOOP_NESTING_MAX = 32
METERED_LOCALS_ADDED = 8
METERED_LOCALS_MAX = 256 + METERED_LOCALS_ADDED
METERED_NESTING_MAX = 256 + 8
METERED_BODY_BYTES_MAX = 524_288
#: Five for each of the 2,048 that a body may have, two for each of its 4,096 calls.
METERED_BRANCHES_MAX = 5 * 2_048 + 2 * 4_096 + 48
#: A body's branches times its variables are at most 200,000; metering makes five of one, but for those of calls.
METERED_BRANCH_LOCALS_MAX = 5 * 200_000

BATCH_BYTES = 65_536
BATCH_OUT_BYTES = 262_144
LOG_BYTES_MAX = 4_096
#: Of one run; later ones are left out of the log, and paid for.
LOG_LINES_MAX = 10_000
FAIL_MESSAGE_BYTES_MAX = 1_024
CHECKS_MAX = 256
CHECK_NAME_BYTES_MAX = 140
CHECK_MESSAGE_BYTES_MAX = 1_024
