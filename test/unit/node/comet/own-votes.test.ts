/** Votes of the home's own key that its record of signatures lacks, and a key that is no validator's. */

import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { RequestFinalizeBlockSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { BlockIDFlag } from "../../../../host/base/gen/tendermint/types/types_pb.js";
import { watchOwnVotes } from "../../../../host/node/comet/comet-files.js";
import { OwnVotes } from "../../../../host/node/comet/engine/own-votes.js";
import { readConsensusKey } from "../../../../host/node/home/consensus-key.js";
import { Home } from "../../../../host/node/home/home.js";
import { foundUnrecordedVote } from "../../../../host/node/home/unrecorded-vote.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { genesisText } from "../../../scenario/genesis-text.js";
import { folder } from "./served.js";

const OTHER = new Uint8Array(20).fill(7);
const { BLOCK_ID_FLAG_COMMIT: SIGNED, BLOCK_ID_FLAG_NIL: NIL, BLOCK_ID_FLAG_ABSENT: ABSENT } = BlockIDFlag;

const filesOf = ({ validatorKeyFile: validatorKey, lastSignedFile: lastSigned, dataFolder: databases }: Home) => ({
  ...{ validatorKey, lastSigned, databases, hasRemoteSigner: false },
});

function watched({ hasRemoteSigner = false, isOtherHome = false, recorded = 0 } = {}) {
  const home = new Home(mkdtempSync(join(folder, "votes-")));
  makeHome(home.path, genesisText());
  if (!isOtherHome) mkdirSync(join(home.dataFolder, "blockstore.db"), { recursive: true });
  const said: string[] = [];
  const records = (height: number) =>
    writeFileSync(home.lastSignedFile, JSON.stringify({ height: String(height), round: 0, step: 3 }));
  records(recorded);
  const again = (isRemote = hasRemoteSigner) => started(home, isRemote, said);
  return { home, said, records, again, ...again(), found: () => foundUnrecordedVote(diskFiles, home.dataFolder) };
}

function started(home: Home, hasRemoteSigner: boolean, said: string[]) {
  const files = { ...filesOf(home), hasRemoteSigner };
  const votes = new OwnVotes(files, home.dataFolder, (level, message) => said.push(`${level} ${message}`));
  const own = readConsensusKey(home.validatorKeyFile).address;
  /** The block after `height`, with the vote for it. */
  const shows = (height: bigint, blockIdFlag: BlockIDFlag, address = own) => {
    const decidedLastCommit = { votes: [{ validator: { address, power: 1n }, blockIdFlag }] };
    const value = create(RequestFinalizeBlockSchema, { height: height + 1n, decidedLastCommit });
    votes.look({ case: "finalizeBlock", value });
  };
  return { votes, shows };
}

describe("OwnVotes.look()", () => {
  test("a vote that the record has → nothing; one that it lacks, as while a node catches up → one warning that names both files", () => {
    const { home, said, shows, found } = watched({ recorded: 5 });
    for (const height of [1n, 4n, 5n]) shows(height, SIGNED);
    expect([said, found()]).toEqual([[], undefined]);
    shows(6n, SIGNED);
    shows(7n, NIL);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^warn .*has signed block 6, but .* ends at height 5: another process signs with this key/);
    for (const file of [home.validatorKeyFile, home.lastSignedFile]) expect(said[0]).toContain(file);
    expect(`warn ${found()}`.startsWith(`${said[0]}. `)).toBe(true);
    expect(found()).toContain(join(home.dataFolder, "unrecorded-vote.json"));
  });

  test("an older record, which the first vote after the start replaces → a warning that stays until a start with a complete record", () => {
    const { home, said, shows, records, found, again } = watched({ recorded: 5 });
    records(9);
    shows(8n, SIGNED);
    records(10);
    shows(9n, SIGNED);
    expect(said).toEqual([expect.stringMatching(/has signed block 8, but .* ends at height 5/)]);
    expect(found()).toContain("has signed block 8");
    expect(found()).toContain("The record ends at height 10 now, which does not rule out another signer");
    again().shows(10n, SIGNED);
    expect([said.length, found()]).toEqual([1, undefined]);
    expect(existsSync(join(home.dataFolder, "unrecorded-vote.json"))).toBe(false);
  });

  test.each<[string, boolean, (start: (isRemote?: boolean) => Pick<ReturnType<typeof started>, "shows">) => void]>([
    ["shows no vote of the key", true, (start) => start().shows(20n, ABSENT)],
    ["has a validator set without the key", false, (start) => start().shows(20n, SIGNED, OTHER)],
    ["comes when another process signs for CometBFT", false, (start) => start(true).shows(20n, SIGNED)],
  ])("a finding, and a start whose first block %s → kept: %s", (_what, isKept, restart) => {
    const { shows, records, found, again } = watched({ recorded: 5 });
    shows(8n, SIGNED);
    records(30);
    expect(found()).toContain("has signed block 8");
    expect(found()).toContain("compares again if its first block shows a vote of this key");
    restart(again);
    expect(found() !== undefined).toBe(isKept);
  });

  test("a finding, and a key that leaves the validator set later in the same run → kept until the next start", () => {
    const { shows, found, again } = watched({ recorded: 5 });
    shows(8n, SIGNED);
    shows(9n, SIGNED, OTHER);
    expect(found()).toContain("has signed block 8");
    again().shows(10n, SIGNED, OTHER);
    expect(found()).toBeUndefined();
  });

  test("watchOwnVotes() with --priv_validator_laddr → nothing is compared, and an earlier finding is removed", () => {
    const { home, shows, found } = watched({ recorded: 5 });
    shows(8n, SIGNED);
    expect(watchOwnVotes(home, ["--priv_validator_laddr="], () => undefined)).toBeInstanceOf(OwnVotes);
    expect(found()).toBeDefined();
    expect(watchOwnVotes(home, ["--priv_validator_laddr=tcp://127.0.0.1:1"], () => undefined)).toBeUndefined();
    expect(found()).toBeUndefined();
  });

  test("blocks that the key did not sign → no warning, whatever the record says", () => {
    const { said, shows } = watched({ recorded: 5 });
    shows(9n, ABSENT);
    expect(said).toEqual([]);
  });

  test("a key outside the validator set → one info line that calls it a full node; in it later → another line", () => {
    const { home, said, shows } = watched();
    for (const height of [1n, 2n]) shows(height, SIGNED, OTHER);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^info .*is not in the validator set of block 1: this node runs as a full node/);
    expect(said[0]).toContain(home.validatorKeyFile);
    shows(3n, ABSENT);
    expect(said[1]).toMatch(/is in the validator set of block 3/);
  });

  test("a remote signer, CometBFT on another home, a key that cannot be read → nothing", () => {
    for (const { said, shows } of [watched({ hasRemoteSigner: true }), watched({ isOtherHome: true })]) {
      shows(9n, SIGNED);
      shows(10n, SIGNED, OTHER);
      expect(said).toEqual([]);
    }
    const { home, said, shows } = watched();
    writeFileSync(home.validatorKeyFile, "{}");
    shows(9n, SIGNED);
    expect(said).toEqual([]);
  });

  test("a new chain, whose first block shows no votes → nothing: its first vote is compared with the record on disk", () => {
    const { said, votes, records, shows, found } = watched();
    votes.look({ case: "finalizeBlock", value: create(RequestFinalizeBlockSchema, { height: 1n }) });
    records(2);
    shows(1n, SIGNED);
    expect([said, found()]).toEqual([[], undefined]);
  });

  test("a key that signed nothing before the start, and signs after it → nothing; a vote that is not in the record → a warning", () => {
    for (const first of [ABSENT, SIGNED]) {
      const { said, records, shows, found } = watched({ recorded: 5 });
      shows(7n, first, first === ABSENT ? undefined : OTHER);
      records(9);
      shows(8n, SIGNED);
      expect(said.filter((line) => line.startsWith("warn"))).toEqual([]);
      shows(10n, SIGNED);
      expect(found()).toContain("has signed block 10");
    }
  });
});
