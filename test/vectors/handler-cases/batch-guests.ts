/** Guests that migrate in batches: stores of every shape, batches of every size, and what a guest may not return. */
import { data, IN, OUT } from "../../guest/build.js";
import { MOVE, mover, REPORT } from "../../guest/mover.js";
import { STORES } from "../../guest/running.js";
import type { Collection } from "./collection.js";
import { addGuest } from "./guest-runs.js";
import type { HexPair, PairsRule, StorePairs } from "./shapes.js";

const GAS_LIMIT = "10000000000";

const rule = (count: number, least: number, greatest: number, key_bytes = 20): PairsRule => {
  return { count, prefix: "01", key_bytes, value_bytes: [least, greatest] };
};

const STORES_OF_PAIRS: Readonly<Record<string, StorePairs>> = {
  nothing: [],
  "a pair": [["01", "02"]],
  "an empty value": [["01", ""]],
  "50 pairs": rule(50, 0, 40),
  "400 pairs of up to 2,000 bytes": rule(400, 0, 2_000),
  "frames of 20 bytes": rule(30, 4, 4, 7),
  "larger than a batch": rule(6, 60_000, 65_000),
  "3,000 pairs": rule(3_000, 30, 90),
};

export function addBatchGuests(to: Collection): void {
  for (const [what, old] of Object.entries(STORES_OF_PAIRS)) {
    const sizes = what === "3,000 pairs" ? [undefined] : [undefined, 1, 60, 100, 4_096];
    for (const batchBytes of sizes) {
      const label = `moves ${what}, batches of ${batchBytes ?? "65,536"}`;
      const each = { manifest: MOVE, stores: { old, new: [] }, gasLimit: GAS_LIMIT };
      const parts = { batch: mover(200_000) };
      addGuest(to, {
        label,
        parts,
        ...each,
        ...(batchBytes === undefined ? {} : { batchBytes }),
        cuts: batchBytes === undefined ? 10 : 0,
      });
    }
    const label = `moves ${what}, a little at a time`;
    const gasLimit = "3000000000";
    addGuest(to, {
      label,
      parts: { batch: mover(500) },
      manifest: MOVE,
      stores: { old, new: [["01", "ff"]] },
      gasLimit,
      cuts: 4,
    });
  }
  addSpoilers(to);
  addScans(to);
  addConsumers(to);
  addBuffers(to);
}

const FEW: readonly HexPair[] = [
  ["0001", "ab"],
  ["0002", "abab"],
  ["0003", "ababab"],
];

/** What comes again is what the store holds, whatever the guest did to its buffer; scans read what was before the run. */
function addSpoilers(to: Collection): void {
  const spoil = `(memory.fill (i32.const ${IN}) (i32.const 255) (i32.const 65536))`;
  const batch = `(local $first i32) ${REPORT}
    (local.set $first (i32.add (i32.const 8) (i32.add (i32.load (i32.const ${IN})) (i32.load offset=4 (i32.const ${IN})))))
    ${spoil} (i32.store (i32.const ${OUT}) (local.get $first)) (i32.const 4)`;
  const stores = { old: FEW, new: [] };
  addGuest(to, { label: "spoils its input", parts: { batch }, manifest: MOVE, stores, batchBytes: 100, cuts: 6 });
  const remove = "(drop (call $delete (i32.const 0) (i32.const 16) (i32.const 2)))";
  const count = `(call $progress (i64.const -3) (i64.extend_i32_s (call $scan (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024) (i32.const 1024))))`;
  const parts = {
    run: `${remove} (i32.const 0)`,
    batch: mover(1_000, count),
    check: `${count} (i32.const 0)`,
    more: '(data (i32.const 16) "\\00\\02")',
  };
  addGuest(to, { label: "scans what it deleted", parts, manifest: MOVE, stores, cuts: 10 });
}

/** Scans one after another, by their index, each inside its prefix. */
function addScans(to: Collection): void {
  const manifest = {
    stores: [
      { name: "old", access: "rw", prefixes: ["01", "02ff", "ff"] },
      { name: "new", access: "r" },
    ],
    scans: [
      { store: "old", prefix: "01" },
      { store: "new" },
      { store: "old", prefix: "02ff" },
      { store: "old", prefix: "0105" },
      { store: "old", prefix: "ff" },
    ],
  };
  const keys = ["00", "01", "0105", "010500", "0106", "02", "02ff", "02ff00", "03", "fe", "ff", "ffff"];
  const old = keys.map((key, i): HexPair => [key, "aa".repeat(i)]);
  const batch = `${REPORT} (i32.store (i32.const ${OUT}) (local.get $len)) (i32.const 4)`;
  for (const batchBytes of [65_536, 20]) {
    addGuest(to, {
      label: `five scans, batches of ${batchBytes}`,
      parts: { batch },
      manifest,
      stores: { old, new: FEW },
      batchBytes,
      cuts: 8,
    });
  }
}

const scanRead = { stores: STORES, scans: [{ store: "read" }] };

/** What handler_batch returns, and what it says that it consumed. */
function addConsumers(to: Collection): void {
  const read: readonly HexPair[] = [
    ["01", "aaaa"],
    ["02", "bb"],
  ];
  const consumed = ["0", "1", "8", "10", "11", "12", "20", "21", "22", "100000", "-1", "-2147483648"];
  for (const count of consumed) {
    const batch = `(i32.store (i32.const ${OUT}) (i32.const ${count})) (i32.const 4)`;
    addGuest(to, { label: `consumes ${count} of 21`, parts: { batch }, manifest: scanRead, stores: { read } });
    addGuest(to, { label: `consumes ${count} of 0`, parts: { batch }, manifest: scanRead });
  }
  for (const length of ["0", "1", "3", "4", "262144", "262145", "2147483647", "-1", "-80", "-2147483648"]) {
    const batch = `(i32.store (i32.const ${OUT}) (local.get $len)) (i32.const ${length})`;
    addGuest(to, { label: `handler_batch returns ${length}`, parts: { batch }, manifest: scanRead, stores: { read } });
  }
}

/** Where a guest has its buffers, and when it is asked for them. */
function addBuffers(to: Collection): void {
  const asked = "(call $progress (i64.const -1) (i64.extend_i32_u (local.get $cap)))";
  const batch = `${REPORT} (i32.store (i32.const ${OUT}) (local.get $len)) (i32.const 4)`;
  const old: readonly HexPair[] = [
    ["01", "aa"],
    ["02", "ab".repeat(70_000)],
    ["03", "ab".repeat(70_001)],
    ["04", ""],
  ];
  const each = { manifest: MOVE, stores: { old, new: [] } };
  const roomFor = (bytes: number) =>
    `${asked} (if (result i32) (i32.gt_u (local.get $cap) (i32.const ${bytes})) (then (i32.const 0)) (else (i32.const ${IN})))`;
  addGuest(to, {
    label: "a larger buffer for a larger frame",
    parts: { in: `${asked} (i32.const ${IN})`, batch },
    ...each,
    cuts: 10,
  });
  for (const bytes of [65_535, 65_536, 70_010]) {
    addGuest(to, { label: `no room for more than ${bytes} bytes`, parts: { in: roomFor(bytes), batch }, ...each });
  }
  for (const at of ["0", "983040", "983041", "-1", "1", "65535"]) {
    addGuest(to, { label: `handler_in returns ${at}`, parts: { in: `(i32.const ${at})` } });
  }
  for (const at of ["0", "786432", "786433", "-1", "65537"]) {
    addGuest(to, { label: `handler_out returns ${at}`, parts: { out: `${asked} (i32.const ${at})` } });
  }
  const grows = "(drop (memory.grow (i32.const 3))) (i32.const 65536)";
  const keep = `(drop (call $set (i32.const 0) (i32.const 16) (i32.const 2) (i32.const ${IN}) (local.get $len)))`;
  addGuest(to, {
    label: "grows in handler_in",
    parts: { in: grows, run: `${keep} (i32.const 0)`, more: data(16, "kk") },
    cuts: 6,
  });
  const plan = { plan: "07".repeat(70_000) };
  addGuest(to, {
    label: "a context of over 64 KiB",
    parts: { in: `${asked} (i32.const ${IN})`, run: `${keep} (i32.const 0)`, more: data(16, "kk") },
    input: plan,
    cuts: 6,
  });
  addGuest(to, { label: "no room for the context", parts: { in: roomFor(65_536) }, input: plan });
}
