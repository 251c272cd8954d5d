/** Records moved from one store into another under new keys, the old ones deleted, commit included. */

import type { KVStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { FrameCursor, OP_DELETE, OP_PUT } from "../../host/state/branch/kv/frames.js";
import { KEY_BYTES, openStores, report, time, timeAndCpu, VALUE_BYTES, withDatabase, writeRecords } from "./records.js";

const count = Number(process.argv[2]);

/** Scan and write in frames, as a handler's batches do; the new key is the old one turned around. */
function rekey(from: KVStore, base: { scan: KVStore["scan"] }, to: KVStore): void {
  const scan = base.scan();
  const chunk = new Uint8Array(65_536);
  const puts = new Uint8Array(65_536);
  const deletes = new Uint8Array(65_536);
  for (let filled = scan.read(chunk); filled > 0; filled = scan.read(chunk)) {
    const frame = new FrameCursor(chunk, filled);
    let put = 0;
    let gone = 0;
    while (frame.step()) {
      writeU32(puts, put, ((OP_PUT << 30) | KEY_BYTES) >>> 0);
      writeU32(puts, put + 4, VALUE_BYTES);
      for (let i = 0; i < KEY_BYTES; i++) puts[put + 8 + i] = chunk[frame.keyAt + KEY_BYTES - 1 - i] as number;
      puts.set(chunk.subarray(frame.valueAt, frame.valueAt + VALUE_BYTES), put + 8 + KEY_BYTES);
      put += 8 + KEY_BYTES + VALUE_BYTES;
      writeU32(deletes, gone, ((OP_DELETE << 30) | KEY_BYTES) >>> 0);
      deletes.set(chunk.subarray(frame.keyAt, frame.keyAt + KEY_BYTES), gone + 4);
      gone += 4 + KEY_BYTES;
    }
    to.writeFrames(puts.subarray(0, put));
    from.writeFrames(deletes.subarray(0, gone));
  }
}

withDatabase((path) => {
  const before = openStores(path, ["new", "old"]);
  writeRecords(before.store("old"), count);
  before.commit();
  before.close();
  const multiStore = openStores(path, ["new", "old"]);
  let handler = 0;
  let commit = 0;
  const total = timeAndCpu(() => {
    const branch = multiStore.branch();
    handler = time(() => rekey(branch.store("old"), multiStore.loaded().store("old"), branch.store("new")));
    commit = time(() => {
      branch.write();
      multiStore.commit();
    });
  });
  multiStore.close();
  report({ ...total, handler, commit });
});
