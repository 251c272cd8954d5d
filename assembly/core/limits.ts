// Twin of the limits in host/base/types/limits.ts that the core enforces, and the sizes of its own buffers.

export const PLAN_NAME_BYTES_MAX: u32 = 140;
export const PLAN_INFO_BYTES_MAX: u32 = 65_536;
export const MODULE_NAME_BYTES_MAX: u32 = 140;
export const VERSION_MAP_MODULES_MAX: u32 = 1_024;
/** What the arena holds beside the inputs of one operation, whatever else a host put there. */
export const RECEIPT_BYTES_MAX: u32 = 524_288;

/** Holds the largest valid plan with room to spare. */
export const SCRATCH_BYTES: i32 = 73_728;
export const ARENA_BYTES: i32 = 786_432;
