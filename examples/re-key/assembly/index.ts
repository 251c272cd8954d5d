// re-key: owners get a length in front of them, so that they may have another length than 20 bytes from now on. The new
// keys have a prefix of their own: an old key can never be taken for a new one.
//
//   names  01 | owner           → name      is gone
//   names  02 | length | owner  → name      is new
//
// A pair that is written under the new prefix already is never met, so running it twice changes nothing.
import { Bytes, fail, invariant, migrate, plan, scan, store, Writer } from "chain-upgrade/handler";

plan("re-key", 50_000_000_000);
const names = store("names").prefix("01").prefix("02");

const OLD = Bytes.hex("01");
const OWNER_BYTES_MAX: u32 = 255;
const key = new Writer(64);

migrate("names", 1, 2);
scan(names, "01", moveName);
invariant("old-keys", isNoOldKeyLeft, "a pair is still under its old key");

function moveName(old: Bytes, name: Bytes): void {
  const ownerLength = old.length - 1;
  if (ownerLength == 0 || ownerLength > OWNER_BYTES_MAX) fail(1, "an owner has 1 to 255 bytes");
  names.delete(old);
  names.set(key.clear().u8(0x02).u8(ownerLength).slice(old, 1), name);
}

function isNoOldKeyLeft(): bool {
  const left = names.scan(OLD);
  const isLeft = left.next();
  left.close();
  return !isLeft;
}
