/** What may be spilled to memory in all. */
import { expect, test } from "vitest";
import { MemorySpill } from "../../../../host/state/branch/spill/memory-spill.js";

test("MemorySpill of 8 bytes: as many are taken, one more → UPG_STORE_FULL; room again when a file is dropped", () => {
  const spill = new MemorySpill(8);
  const [one, other] = [spill.create(), spill.create()];
  one.append(new Uint8Array(5));
  other.append(new Uint8Array(3));
  expect(() => other.append(new Uint8Array(1))).toThrow(expect.objectContaining({ code: "UPG_STORE_FULL" }));
  expect([spill.count, spill.bytes, spill.bytesPeak]).toEqual([2, 8, 8]);
  one.drop();
  other.append(new Uint8Array(5));
  expect([spill.count, spill.bytes, spill.bytesPeak]).toEqual([1, 8, 8]);
});
