// Twin of the limits in host/limits.ts that the core enforces, and the sizes of its own buffers.

export const PLAN_NAME_BYTES_MAX: u32 = 140;
export const PLAN_INFO_BYTES_MAX: u32 = 65_536;
export const MODULE_NAME_BYTES_MAX: u32 = 140;
export const VERSION_MAP_MODULES_MAX: u32 = 1_024;
export const VALUE_BYTES_MAX: u32 = 1_048_576;

/** Holds the largest valid plan with room to spare. */
export const SCRATCH_BYTES: i32 = 73_728;
export const ARENA_BYTES: i32 = 786_432;
