import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY, toHex } from "../../../../../host/base/text/bytes.js";
import { INT64_MAX } from "../../../../../host/base/types/limits.js";
import { NIL_BLOCK_ID } from "../../../../../host/chain/comet-types/block-id.js";
import {
  BLOCK_PROTOCOL,
  CHAIN_ID_BYTES_MAX,
  type Header,
  headerHash,
  validateHeader,
} from "../../../../../host/chain/comet-types/header.js";
import { header, sha256 } from "./arbitraries.js";

const REFUSED = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
const filled = (byte: number, length = 32): Uint8Array => new Uint8Array(length).fill(byte);

const SAMPLE: Header = {
  version: { block: BLOCK_PROTOCOL, app: 1n },
  chainId: "chain-1",
  height: 3n,
  time: { seconds: 4n, nanos: 5 },
  lastBlockId: { hash: filled(6), parts: { total: 7, hash: filled(8) } },
  lastCommitHash: filled(9),
  dataHash: filled(10),
  validatorsHash: filled(11),
  nextValidatorsHash: filled(12),
  consensusHash: filled(13),
  appHash: filled(14),
  lastResultsHash: filled(15),
  evidenceHash: filled(16),
  proposerAddress: filled(17, 20),
};

describe("headerHash()", () => {
  test("changes with every field", () => {
    const changes: Partial<Header>[] = [
      { version: { block: 12n, app: 1n } },
      { version: { block: BLOCK_PROTOCOL, app: 2n } },
      { chainId: "chain-2" },
      { height: 4n },
      { time: { seconds: 5n, nanos: 5 } },
      { time: { seconds: 4n, nanos: 6 } },
      { lastBlockId: NIL_BLOCK_ID },
      { lastBlockId: { ...SAMPLE.lastBlockId, parts: { total: 8, hash: filled(8) } } },
      { lastCommitHash: EMPTY },
      { dataHash: EMPTY },
      { validatorsHash: filled(0) },
      { nextValidatorsHash: EMPTY },
      { consensusHash: EMPTY },
      { appHash: EMPTY },
      { lastResultsHash: EMPTY },
      { evidenceHash: EMPTY },
      { proposerAddress: EMPTY },
    ];
    const hashes = [{}, ...changes].map((change) => toHex(headerHash(sha256, { ...SAMPLE, ...change })));
    expect(new Set(hashes).size).toBe(changes.length + 1);
  });

  test("of a header without validators hash is empty", () => {
    expect(headerHash(sha256, { ...SAMPLE, validatorsHash: EMPTY })).toEqual(EMPTY);
  });

  test("with a time outside years 1 to 9999 → UPG_INVALID_ARGUMENT", () => {
    expect(() => headerHash(sha256, { ...SAMPLE, time: { seconds: 1n << 40n, nanos: 0 } })).toThrow(REFUSED);
  });
});

describe("validateHeader()", () => {
  const attempt = (change: Partial<Header>) => () => validateHeader({ ...SAMPLE, ...change });

  test("takes every header that obeys the rules", () => {
    fc.assert(
      fc.property(header, (sound) => {
        validateHeader({ ...sound, chainId: "chain-1" });
      }),
    );
  });

  test("with a chain id of CHAIN_ID_BYTES_MAX bytes → taken; with one more → UPG_INVALID_ARGUMENT", () => {
    attempt({ chainId: "é".repeat(CHAIN_ID_BYTES_MAX / 2) })();
    expect(attempt({ chainId: `${"é".repeat(CHAIN_ID_BYTES_MAX / 2)}x` })).toThrow(/51 bytes, at most 50/);
  });

  test.each<[string, Partial<Header>]>([
    ["another block protocol", { version: { block: 12n, app: 1n } }],
    ["height 0", { height: 0n }],
    ["a negative height", { height: -1n }],
    ["a height past int64", { height: INT64_MAX + 1n }],
    ["a chain id with half a character", { chainId: "chain-\ud800" }],
    ["a last block id whose hash is too short", { lastBlockId: { ...SAMPLE.lastBlockId, hash: filled(1, 31) } }],
    ["a part set hash that is too long", { lastBlockId: { hash: EMPTY, parts: { total: 0, hash: filled(1, 33) } } }],
    ["a last commit hash of 31 bytes", { lastCommitHash: filled(1, 31) }],
    ["a data hash of 31 bytes", { dataHash: filled(1, 31) }],
    ["an evidence hash of 31 bytes", { evidenceHash: filled(1, 31) }],
    ["a validators hash of 31 bytes", { validatorsHash: filled(1, 31) }],
    ["a next validators hash of 31 bytes", { nextValidatorsHash: filled(1, 31) }],
    ["a consensus hash of 31 bytes", { consensusHash: filled(1, 31) }],
    ["a last results hash of 31 bytes", { lastResultsHash: filled(1, 31) }],
    ["a proposer address of 19 bytes", { proposerAddress: filled(1, 19) }],
    ["no proposer address", { proposerAddress: EMPTY }],
  ])("with %s → UPG_INVALID_ARGUMENT", (_, change) => {
    expect(attempt(change)).toThrow(REFUSED);
  });

  test("with an app hash of any length → taken", () => {
    for (const length of [0, 1, 64]) attempt({ appHash: filled(1, length) })();
  });
});
