/**
 * A program of its own for scenes: the example chain's modules, and an upgrade `v2` with a handler in TypeScript that brings module
 * consensus. Its plan's info says what it changes of validators and of the parameters of consensus.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../..");

/** What the info of the plan `v2` may hold. */
export interface Change {
  /** Tokens by moniker. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Monikers of those who are jailed. */
  readonly jailed?: readonly string[];
  /** One more validator; bytes in hex. */
  readonly added?: {
    readonly operator: string;
    readonly key: string;
    readonly moniker: string;
    readonly tokens: string;
  };
  readonly params?: { readonly maxBytes: string; readonly maxGas: string; readonly maxAgeBlocks: string };
}

/** The script; it runs with what is built in dist/. */
export function writeProgram(): string {
  const folder = join(ROOT, "build/run");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "network-program.mjs");
  writeFileSync(file, SOURCE);
  return file;
}

const SOURCE = `import {
  auth, bank, consensus, defineChain, gov, migrate, runChain, staking, upgrade, validatorRecords, writeConsensusParams,
} from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/node.js")).href)};

const shares = (tokens) => ({ tokens, delegatorShares: tokens + ".000000000000000000" });
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

function changeValidators(store, { tokens = {}, jailed = [], added }) {
  for (const each of [...validatorRecords.all(store)]) {
    const own = tokens[each.moniker];
    if (own !== undefined) validatorRecords.set(store, { ...each, ...shares(own) });
    if (jailed.includes(each.moniker)) validatorRecords.set(store, { ...each, jailed: true });
  }
  if (!added) return;
  const { operator, key, moniker } = added;
  const names = { operator: bytes(operator), consensusKey: bytes(key), moniker };
  validatorRecords.set(store, { ...names, status: 3, ...shares(added.tokens) });
}

function changeParams(store, { maxBytes, maxGas, maxAgeBlocks }) {
  writeConsensusParams(store, {
    block: { maxBytes: BigInt(maxBytes), maxGas: BigInt(maxGas) },
    evidence: { maxAgeBlocks: BigInt(maxAgeBlocks), maxAgeNanos: 3_600_000_000_000n, maxBytes: 10_000n },
    validator: { publicKeyTypes: ["ed25519"] },
    version: { app: 0n },
    abci: { voteExtensionsHeight: 0n },
  });
}

const v2 = {
  plan: "v2",
  storeUpgrades: { added: ["consensus"] },
  allows: { writeStores: ["staking"] },
  handler(context, plan, versions, modules) {
    const after = migrate(context, plan, versions, modules);
    const change = JSON.parse(plan.info);
    changeValidators(context.stores.store("staking"), change);
    if (change.params) changeParams(context.stores.store("consensus"), change.params);
    return after;
  },
};
const modules = [auth(), bank(), staking(), gov(), upgrade(), consensus()];
void runChain(defineChain({ name: "chaind", modules, upgrades: [v2] }));
`;
