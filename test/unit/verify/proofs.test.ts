import { describe, expect, test } from "vitest";
import { utf8 } from "../../../host/base/text/bytes.js";
import { MemoryDatabase } from "../../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../../host/state/store/versions/commit-multi-store.js";
import {
  afterKey,
  type MembershipEvidence,
  type ProvenRecord,
  type RangeEvidence,
  verifyMembership,
  verifyNonMembership,
  verifyRange,
  verifyRecord,
} from "../../../host/verify/proofs.js";
import { rpcResult } from "../../../host/verify/rpc-path.js";
import { thrownBy } from "../../thrown-by.js";
import { choices, code } from "../state/commitment/support.js";
import { sha256 } from "../state/store/support.js";

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
    const right = verifyRecord({ appHash, store: "upgrade", ...record })?.right?.[0];
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

describe("verifyMembership(), verifyNonMembership()", () => {
  test("present, absent → nothing thrown; the other way round, and without a value → an error", () => {
    const at = { appHash, store: "upgrade" };
    const [{ value, ...present }, { value: none, ...absent }] = [recordOf(utf8("c")), recordOf(utf8("cc"))];
    const known = value ?? new Uint8Array();
    expect(none).toBeUndefined();
    expect(verifyMembership({ ...at, ...present, value: known })).toBeUndefined();
    expect(verifyNonMembership({ ...at, ...absent }).left?.[0]).toEqual(utf8("c"));
    expect(() => verifyNonMembership({ ...at, ...present })).toThrow(code("UPG_PROOF_MALFORMED"));
    expect(() => verifyMembership({ ...at, ...absent, value: utf8("v") })).toThrow(code("UPG_PROOF_MALFORMED"));
    expect(() => verifyMembership({ ...at, ...present, value: utf8("other") })).toThrow(code("UPG_PROOF_VALUE"));
    // A value that was left out by mistake asks for nothing else.
    const forgotten = { ...at, ...absent } as MembershipEvidence;
    expect(() => verifyMembership(forgotten)).toThrow(code("UPG_INVALID_ARGUMENT"));
  });
});

describe("rpcResult()", () => {
  test("a result → it; an error → UPG_REMOTE_REFUSED with what the server said, its controls shown", () => {
    expect(rpcResult("status", { result: { a: 1 } })).toEqual({ a: 1 });
    const response = { error: { message: "Internal error", data: "no \u202e height" } };
    const details = { said: "Internal error, no \\u202e height" };
    expect(thrownBy(() => rpcResult("commit", response))).toMatchObject({ code: "UPG_REMOTE_REFUSED", details });
    for (const odd of [null, 7, [], {}, { error: null }, { error: { message: 7 } }]) {
      expect(() => rpcResult("commit", odd)).toThrow(code("UPG_REMOTE_REFUSED"));
    }
  });
});
