// Twin of `quote` in host/upgrade/wasm/guest-text.ts: a name that a file gave, for a message.
import { utf8Length } from "../../shared/bytes";
import { character, hexDigit, isMuted, put, putBytes, text } from "./message";

/** In units of UTF-16. */
const UNITS_MAX: u32 = 100;
/** More bytes than that many units can have. */
const JOINED_MAX: u32 = 512;
const joined: usize = memory.data(JOINED_MAX);

/** The character that begins at `ptr`, of `length` bytes of valid UTF-8. */
export function codePoint(ptr: usize, length: u32): u32 {
  const first = <u32>load<u8>(ptr);
  if (length == 1) return first;
  let code = first & (0x7f >> length);
  for (let i: u32 = 1; i < length; i++) code = (code << 6) | (<u32>load<u8>(ptr + i) & 63);
  return code;
}

/** Characters that do not show as themselves: twin of host/base/text/visible.ts. */
function isHidden(code: u32): bool {
  if (code < 0x20) return true;
  if (code < 0x7f) return false;
  if (code <= 0x9f || code == 0xad || code == 0x34f || code == 0x61c) return true;
  if (code < 0x115f) return false;
  if (code <= 0x1160 || code == 0x17b4 || code == 0x17b5 || code == 0x180e) return true;
  if (code < 0x200b) return false;
  if (code <= 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f)) return true;
  if (code == 0x3164 || code == 0xfeff || code == 0xffa0 || (code >= 0xfff9 && code <= 0xfffb)) return true;
  return code >= 0xe0000 && code <= 0xe0fff;
}

function shown(code: u32, ptr: usize, length: u32): void {
  if (code == 0x22 || code == 0x5c) put(0x5c);
  if (!isHidden(code)) putBytes(ptr, length);
  else if (code == 9 || code == 10 || code == 13 || code == 0x2028 || code == 0x2029) put(0x20);
  else character(0xfffd);
}

/** The first half of a pair of which the second was cut off. */
function half(code: u32): void {
  const unit = 0xd800 + ((code - 0x10000) >> 10);
  text("\\u");
  for (let shift = 12; shift >= 0; shift -= 4) hexDigit((unit >> shift) & 15);
}

/** `name`, valid UTF-8, in quotes. */
export function quote(name: usize, len: u32): void {
  if (isMuted()) return;
  put(0x22);
  const end = name + len;
  for (let units: u32 = 0; name < end; ) {
    const length = utf8Length(name, <u32>(end - name));
    const code = codePoint(name, length);
    const next = units + (length == 4 ? 2 : 1);
    if (next > UNITS_MAX) {
      if (units < UNITS_MAX) half(code);
      character(0x2026);
      break;
    }
    shown(code, name, length);
    units = next;
    name += length;
  }
  put(0x22);
}

/** `a.b`, in quotes. */
export function quoteJoined(a: usize, aLen: u32, b: usize, bLen: u32): void {
  if (isMuted()) return;
  const first = min(aLen, JOINED_MAX);
  memory.copy(joined, a, first);
  let length = first;
  if (length < JOINED_MAX) store<u8>(joined + length++, 0x2e);
  const second = min(bLen, JOINED_MAX - length);
  memory.copy(joined + length, b, second);
  quote(joined, length + second);
}
