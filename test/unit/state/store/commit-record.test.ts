/** The record of a version: what each field is on disk, and what records of older programs say. */
import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { commitKey } from "../../../../host/state/store/disk/keys.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import {
  type CommitState,
  encodeCommit,
  lastEngine,
  readCommit,
} from "../../../../host/state/store/versions/commit-record.js";

const hash = new Uint8Array(32).fill(0xab);
const STATE: CommitState = {
  version: 7,
  appHash: hash,
  stores: [{ name: "a", number: 3, root: { id: 5, size: 1, height: 0, hash }, nextChunk: 2 }],
  nextStore: 4,
  kept: true,
  time: undefined,
  engine: "",
};
/** As programs wrote it before records had a time and an engine. */
const OLD = `08071220${"ab".repeat(32)}1a2d0a016110031805200132 20${"ab".repeat(32)}380220042801`.replace(" ", "");

const read = (bytes: Uint8Array) => {
  const database = new MemoryDatabase();
  database.transaction((batch) => batch.put(commitKey(7), bytes));
  return { state: readCommit(database, 7), engine: lastEngine(database) };
};

test("without time and engine → the bytes of older programs, and back", () => {
  expect(toHex(encodeCommit(STATE))).toBe(OLD);
  expect(read(fromHex(OLD))).toEqual({ state: STATE, engine: "" });
});

test("with time and engine → two fields more, and back; the time may lie before 1970", () => {
  const state = { ...STATE, time: { seconds: 1_700_000_000n, nanos: 5 }, engine: "cometbft" };
  const bytes = encodeCommit(state);
  expect(toHex(bytes)).toBe(`${OLD}32080880e2cfaa061005${"3a08"}${Buffer.from("cometbft").toString("hex")}`);
  expect(read(bytes)).toEqual({ state, engine: "cometbft" });
  const early = { ...state, time: { seconds: -62_135_596_800n, nanos: 0 } };
  expect(read(encodeCommit(early)).state).toEqual(early);
});

test("no version yet → no engine", () => {
  expect(lastEngine(new MemoryDatabase())).toBe("");
});
