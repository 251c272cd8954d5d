/** Homes whose validators have this node's key among them, and what a light client asks of their blocks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { equalBytes, toHex } from "../../../../host/base/text/bytes.js";
import { equalBlockIds } from "../../../../host/chain/comet-types/block-id.js";
import { validateLightBlock } from "../../../../host/chain/comet-types/light-block.js";
import { validatorSetHash } from "../../../../host/chain/comet-types/validator-set.js";
import { verifyCommit } from "../../../../host/chain/comet-types/verify-commit.js";
import { writeValidator } from "../../../../host/chain/modules/staking/records.js";
import type { StoredBlock } from "../../../../host/node/blocks/block-store.js";
import { logicalClock } from "../../../../host/node/embedded/clock.js";
import type { EmbeddedNode } from "../../../../host/node/embedded/embedded-node.js";
import { NodeService } from "../../../../host/node/embedded/node-service.js";
import { consensusKey } from "../../../../host/node/home/consensus-key.js";
import { openNode } from "../../../../host/node/open/open-node.js";
import { makeHome } from "../../../e2e/prepared-home.js";
import { exampleChain } from "../../../example-chain.js";
import { genesisDocument } from "../../../scenario/genesis-text.js";
import { type Member, memberGenesis, memberRecord } from "../../../scenario/members.js";

/** The key that `makeHome` writes. */
export const OWN = consensusKey(new Uint8Array(32).fill(1));
export const OTHER = consensusKey(new Uint8Array(32).fill(2));
export const THIRD = consensusKey(new Uint8Array(32).fill(3));
export const member = (key: typeof OWN, power: number, more: Partial<Member> = {}): Member => ({
  key: key.publicKey.bytes,
  tokens: BigInt(power) * 1_000_000n,
  ...more,
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A home whose chain has these validators; removed after the test. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), "chain-upgrade-sets-"));
  readonly log: string[] = [];

  constructor(members: readonly Member[]) {
    folders.push(this.path);
    makeHome(this.path, JSON.stringify(memberGenesis(genesisDocument(), members)));
  }

  data(name: string): string {
    return join(this.path, "data", name);
  }

  use<T>(use: (node: EmbeddedNode) => T, chain = exampleChain): T {
    const log = (level: string, message: string) => void this.log.push(`${level} ${message}`);
    const open = openNode({
      chain,
      home: this.path,
      clock: logicalClock(5_000_000_000n),
      handlers: this.data("none"),
      log,
    });
    try {
      return use(open.node);
    } finally {
      open.close();
    }
  }

  /** Makes so many blocks; the first of them gives these members. */
  make(count: number, changes: readonly Member[] = [], chain = exampleChain): StoredBlock[] {
    const write = (each: Member) => (context: { store(name: string): Parameters<typeof writeValidator>[0] }) =>
      writeValidator(context.store("staking"), memberRecord(each));
    return this.use((node) => {
      return Array.from({ length: count }, (_, at) => node.makeBlock(at === 0 ? changes.map(write) : []).stored);
    }, chain);
  }

  get lastHeight(): bigint {
    return this.use((node) => node.lastBlock?.header.height ?? 0n);
  }

  /** Powers by key at each height, from the first on. */
  powers(): string[] {
    return this.use((node) => {
      const last = node.lastBlock?.header.height ?? 0n;
      return Array.from({ length: Number(last) + 1 }, (_, at) => powersAt(node, BigInt(at) + 1n));
    });
  }
}

const NAMES = new Map([
  [toHex(OWN.publicKey.bytes), "own"],
  [toHex(OTHER.publicKey.bytes), "other"],
  [toHex(THIRD.publicKey.bytes), "third"],
]);

export const service = (node: EmbeddedNode) =>
  new NodeService(node, { nodeId: "", moniker: "", genesis: { text: () => Promise.reject(new Error("no genesis")) } });

const powersAt = (node: EmbeddedNode, height: bigint) =>
  service(node)
    .validatorsAt(height)
    .validators.map(({ publicKey, power }) => `${NAMES.get(toHex(publicKey.bytes))} ${power}`)
    .join(", ");

/** As a light client that follows every header: from one it trusts to the next, all the way. */
export function followHeaders(node: EmbeddedNode): void {
  const last = node.lastBlock?.header.height ?? 0n;
  for (let height = 1n; height <= last; height++) {
    const { header, blockId, commit } = node.blocks.at(height);
    const validators = service(node).validatorsAt(height);
    validateLightBlock(sha256, { signedHeader: { header, commit }, validators });
    verifyCommit(validators, header.chainId, blockId, height, commit);
    expect(validators.validators.some(({ address }) => equalBytes(address, header.proposerAddress))).toBe(true);
    if (height === 1n) continue;
    const trusted = node.blocks.at(height - 1n);
    expect(equalBlockIds(header.lastBlockId, trusted.blockId)).toBe(true);
    expect(toHex(header.validatorsHash)).toBe(toHex(trusted.header.nextValidatorsHash));
  }
  const next = validatorSetHash(sha256, service(node).validatorsAt(last + 1n));
  expect(toHex(next)).toBe(toHex(node.blocks.at(last).header.nextValidatorsHash));
}
