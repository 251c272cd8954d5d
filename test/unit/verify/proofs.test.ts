import { describe, expect, test } from "vitest";
import { utf8 } from "../../../host/bytes.js";
import { MemoryDatabase } from "../../../host/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../host/store/versions/commit-multi-store.js";
import {
  afterKey,
  type ProvenRecord,
  type RangeEvidence,
  verifyKey,
  verifyRange,
} from "../../../host/verify/proofs.js";
import { choices, code } from "../commitment/support.js";
import { sha256 } from "../store/support.js";

const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
stores.mount("other", "upgrade");
stores.loadLatestVersion();
const branch = stores.branch();
branch.store("other").set(utf8("k"), utf8("v"));
for (const key of ["a", "b", "ba", "b\u0000", "c", "d", "f"]) branch.store("upgrade").set(utf8(key), utf8(`of ${key}`));
branch.write();
stores.commit();
const view = stores.at(1n);
const { appHash } = view;

function recordOf(key: Uint8Array): ProvenRecord {
  const { value, store, app } = view.prove("upgrade", key);
  return { key, value, proofs: [store, app] };
}

/** The records that an honest server is asked for. */
function walk(start: string, end: string | undefined): RangeEvidence & { readonly records: ProvenRecord[] } {
  const records: ProvenRecord[] = [];
  const last = end === undefined ? undefined : utf8(end);
  const range = { appHash, store: "upgrade", start: utf8(start), end: last };
  for (let next: Uint8Array | undefined = range.start; next && (!last || Buffer.compare(next, last) < 0); ) {
    const record = recordOf(next);
    records.push(record);
    const right = verifyKey({ appHash, store: "upgrade", ...record })?.right?.[0];
    const found: Uint8Array | undefined = record.value ? next : right;
    next = found && afterKey(found);
  }
  return { ...range, records };
}

const texts = (range: RangeEvidence) =>
  verifyRange(range).map(([key, value]) => [Buffer.from(key).toString(), Buffer.from(value).toString()].join("="));

describe("verifyRange()", () => {
  test.each<[string, string | undefined, string[]]>([
    ["a", "b", ["a"]],
    ["b", "c", ["b", "b\u0000", "ba"]],
    ["aa", "d", ["b", "b\u0000", "ba", "c"]],
    ["d", undefined, ["d", "f"]],
    ["e", "ee", []],
    ["g", undefined, []],
    ["A", undefined, ["a", "b", "b\u0000", "ba", "c", "d", "f"]],
    ["c", "a", []],
  ])("from %j to %j → all of %j", (start, end, keys) => {
    expect(texts(walk(start, end))).toEqual(keys.map((key) => `${key}=of ${key}`));
  });

  test("a record left out, added, twice, in another order, of another key → UPG_PROOF_RANGE", () => {
    const honest = walk("a", "e");
    const { records } = honest;
    const [first, second] = records as [ProvenRecord, ProvenRecord];
    for (let at = 0; at < records.length; at++) {
      const others = records.filter((_each, index) => index !== at);
      expect(() => verifyRange({ ...honest, records: others })).toThrow(code("UPG_PROOF_RANGE"));
    }
    for (const wrong of [
      [],
      [...records, recordOf(utf8("zz"))],
      [first, first],
      [second, first, ...records.slice(2)],
    ]) {
      expect(() => verifyRange({ ...honest, records: wrong })).toThrow(code("UPG_PROOF_RANGE"));
    }
  });

  test("a present key shown as absent, an absent one as present, another value → UPG_PROOF_*", () => {
    const honest = walk("a", "e");
    const below = choices(11);
    for (let round = 0; round < 300; round++) {
      const records = honest.records.map((each) => ({ ...each }));
      const record = records[below(records.length)] as { value: Uint8Array | undefined };
      record.value = record.value === undefined || below(2) === 0 ? utf8(`x${round}`) : undefined;
      expect(() => verifyRange({ ...honest, records })).toThrow(code(expect.stringMatching(/^UPG_PROOF_/)));
    }
  });
});

describe("verifyKey()", () => {
  test("present, absent → nothing thrown; the other way round → UPG_PROOF_*", () => {
    const [present, absent] = [recordOf(utf8("c")), recordOf(utf8("cc"))];
    expect(verifyKey({ appHash, store: "upgrade", ...present })).toBeUndefined();
    expect(verifyKey({ appHash, store: "upgrade", ...absent })?.left?.[0]).toEqual(utf8("c"));
    const hidden = { ...present, value: undefined };
    expect(() => verifyKey({ appHash, store: "upgrade", ...hidden })).toThrow(code("UPG_PROOF_MALFORMED"));
    const made = { ...absent, value: utf8("v") };
    expect(() => verifyKey({ appHash, store: "upgrade", ...made })).toThrow(code("UPG_PROOF_MALFORMED"));
  });
});
