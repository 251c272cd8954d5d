// Twin of host/base/errors/errors.ts: the codes that the core itself answers with. A test holds the two equal.

export const ABSENT: i32 = 1;
export const UPG_INVALID_PLAN_NAME: i32 = 10;
export const UPG_INVALID_PLAN_HEIGHT: i32 = 11;
export const UPG_INVALID_PLAN_IN_PAST: i32 = 12;
export const UPG_INVALID_PLAN_DONE: i32 = 13;
export const UPG_INVALID_PLAN_INFO: i32 = 14;
export const UPG_INVALID_PLAN_DEPRECATED: i32 = 15;
export const UPG_INVALID_PLAN_BYTES: i32 = 16;
export const UPG_INVALID_VERSION_MAP: i32 = 17;
export const UPG_INVALID_NAMES: i32 = 18;
export const UPG_INVALID_ARGUMENT: i32 = 19;
export const UPG_INVALID_HEIGHT: i32 = 20;
export const UPG_INVALID_VALUE: i32 = 22;
export const UPG_MIGRATION_VERSION_MAP: i32 = 83;
export const UPG_STORE_CORRUPT: i32 = 110;
export const UPG_BUG_PLAN_CHANGED: i32 = 140;
export const UPG_BUG_CORE_TRAP: i32 = 141;
