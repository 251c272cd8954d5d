// Keys of the module's store (specification 2.10; `04` is ours):
//   00 plan · 01|name done · 02|module consensus version · 03 protocol version · 04|name receipt
import { MODULE_NAME_BYTES_MAX } from "./limits";

export const PLAN: u8 = 0x00;
export const DONE: u8 = 0x01;
export const VERSION: u8 = 0x02;
export const PROTOCOL: u8 = 0x03;
export const RECEIPT: u8 = 0x04;

const key: usize = memory.data(1 + 140);
let keyLen: u32 = 0;

export function ptr(): usize {
  return key;
}

export function len(): u32 {
  return keyLen;
}

/** Composes prefix and name in the key buffer; the caller has checked that the name is at most 140 bytes. */
export function compose(prefix: u8, name: usize, nameLen: u32): void {
  assert(nameLen <= MODULE_NAME_BYTES_MAX, "name too long for a key");
  store<u8>(key, prefix);
  memory.copy(key + 1, name, nameLen);
  keyLen = 1 + nameLen;
}
