// Twin of host/base/errors/errors.ts: the codes that the checker itself reports. A test holds the two equal.

export const UPG_INVALID_ARGUMENT: i32 = 19;
export const UPG_HANDLER_IMPORT: i32 = 92;
export const UPG_HANDLER_EXPORT: i32 = 93;
export const UPG_HANDLER_OPCODE: i32 = 94;
export const UPG_HANDLER_LIMIT: i32 = 95;
export const UPG_HANDLER_MEMORY: i32 = 96;
export const UPG_HANDLER_MANIFEST: i32 = 97;
export const UPG_HANDLER_FORMAT: i32 = 100;
export const UPG_HANDLER_METERED: i32 = 103;
export const UPG_STORE_CORRUPT: i32 = 110;
