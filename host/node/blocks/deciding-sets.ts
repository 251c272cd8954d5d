/**
 * Who decides the next blocks. The application says who has how much power; as in CometBFT, what block H changes is in
 * force at H + 2. This engine has one consensus key and nobody to vote with, so the application's set decides only while
 * that key has more than two thirds of its power. Otherwise the key decides alone, and the chain goes on.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, toHex, toUpperHex } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import type { Height, Sha256 } from "../../base/types/types.js";
import type { LastCommit } from "../../chain/app/block-info.js";
import { FLAG_COMMIT } from "../../chain/comet-types/commit.js";
import { addressOf, type PublicKey } from "../../chain/comet-types/keys.js";
import { newValidator } from "../../chain/comet-types/validator.js";
import {
  rotateProposer,
  TOTAL_POWER_MAX,
  type ValidatorSet,
  validatorSetHash,
} from "../../chain/comet-types/validator-set.js";
import {
  createValidatorSet,
  updateValidatorSet,
  type ValidatorUpdate,
} from "../../chain/comet-types/validator-updates.js";
import type { Batch } from "../../state/store/disk/database.js";
import type { StoredBlock } from "./block-store.js";
import type { ValidatorStore } from "./validator-store.js";

/** Power of a key that decides alone and has none in state. */
const POWER_ALONE = 10n;

/** A set and its hash. */
interface HashedSet {
  readonly set: ValidatorSet;
  readonly hash: Uint8Array;
}

type Powers = readonly ValidatorUpdate[];

/** Has this key more than two thirds of a set's power? Then its signature alone decides a block. */
function decidesAlone({ validators, totalPower }: ValidatorSet, key: PublicKey): boolean {
  const own = validators.find(({ publicKey }) => sameKey(publicKey, key))?.power ?? 0n;
  return own * 3n > totalPower * 2n;
}

/** The powers that count of those that the application gives. */
export function decidingPowers(given: Powers, key: PublicKey): Powers {
  const own = given.find(({ publicKey }) => sameKey(publicKey, key))?.power ?? 0n;
  const total = given.reduce((sum, { power }) => sum + power, 0n);
  if (own * 3n > total * 2n && total <= TOTAL_POWER_MAX) return given;
  return [{ publicKey: key, power: own > 0n ? own : POWER_ALONE }];
}

/**
 * Before a chain's first block, of an engine that nobody chose: with several validators whose power this key has not more than two
 * thirds of, it would begin a chain that the others do not have. (Specification 4.14.)
 * @throws UpgradeError UPG_INVALID_CONFIG
 */
export function requireDecides(given: Powers, key: PublicKey, home: string): void {
  if (given.length < 2 || decidingPowers(given, key) === given) return;
  const start = (engine: string) => homeCommand(`start --engine ${engine}`, home);
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `the genesis document gives power to ${given.length} validators, and ${ownPower(given, key)}: alone this node would begin a chain of its ` +
      `own, which the others never accept. Nothing was signed. Validators decide blocks together with CometBFT: ${start("cometbft")}, or ` +
      `${homeCommand("config set app engine cometbft", home)} for all starts. For a chain of its own, as a rehearsal: ${start("embedded")}`,
  );
}

/** What else the operator may have meant, where one other validator has the power. */
export function joinHint(home: string): string {
  return `To follow the chain of the others instead, remove data/chain.mdb and start with ${homeCommand("start --engine cometbft", home)}`;
}

function ownPower(given: Powers, key: PublicKey): string {
  const own = given.find(({ publicKey }) => sameKey(publicKey, key))?.power ?? 0n;
  const total = given.reduce((sum, { power }) => sum + power, 0n);
  return `this node's consensus key has ${own} of ${total} of it`;
}

/** What an operator learns when the key begins to decide alone beside others who have power, or ends it; undefined: nothing. */
export function aloneLine(key: PublicKey, before: Powers | undefined, after: Powers): string | undefined {
  const isAlone = decidingPowers(after, key) !== after && after.length > 0;
  const wasAlone = before !== undefined && decidingPowers(before, key) !== before && before.length > 0;
  if (isAlone === wasAlone) return undefined;
  const own = after.find(({ publicKey }) => sameKey(publicKey, key))?.power ?? 0n;
  const total = after.reduce((sum, { power }) => sum + power, 0n);
  const has = `this node's consensus key has ${own} of ${total} voting power in state`;
  if (!isAlone) return `${has}: the set of all validators decides blocks again`;
  return `${has}, not more than two thirds: it decides blocks as the only validator, with power ${decidingPowers(after, key)[0]?.power}`;
}

/** The set of a key that decides alone and has no power in state: every chain's, before power came from state. */
export function soleValidator(sha256: Sha256, key: PublicKey): ValidatorSet {
  const validator = newValidator(sha256, key, POWER_ALONE);
  return { validators: [validator], proposer: validator, totalPower: POWER_ALONE };
}

/** What the engine knows before it makes a block. */
export interface DecidingSets {
  /** Of the block that is to be made. */
  readonly current: HashedSet;
  /** Of the block after it. */
  readonly next: HashedSet;
  /** Powers as the application gives them after the block before. */
  readonly given: Powers;
  /** Is `current` in the store? */
  readonly isStored: boolean;
}

/** Before a chain's first block. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function firstSets(sha256: Sha256, key: PublicKey, given: Powers): DecidingSets {
  const current = hashed(sha256, createValidatorSet(sha256, decidingPowers(given, key)));
  return { current, next: rotated(current), given, isStored: false };
}

/**
 * Before the block after `last`. `given`: what the state after it gives; undefined: nothing of its own.
 * @throws UpgradeError UPG_INVALID_CONFIG when the key is another than the one that decides the next block
 */
export function setsAfter(
  sha256: Sha256,
  key: PublicKey,
  last: StoredBlock,
  { store, given }: { readonly store: ValidatorStore; readonly given: Powers | undefined },
): DecidingSets {
  const height = last.header.height + 1n;
  const stored = store.at(height);
  const current = [...(stored ? [stored] : []), soleValidator(sha256, key)]
    .map((set) => hashed(sha256, set))
    .find(({ hash }) => equalBytes(hash, last.header.nextValidatorsHash));
  if (!current || !decidesAlone(current.set, key)) throw otherKey(height, sha256, key);
  const isStored = current.set === stored;
  const powers = given ?? current.set.validators;
  // A block that an older program signed, and could not commit, must come out the same: the set stays for one more.
  const next = isStored ? changed(sha256, current, decidingPowers(powers, key)) : current;
  return { current, next, given: powers, isStored };
}

/**
 * Before the next block, after one with these updates.
 * @throws UpgradeError UPG_INVALID_ARGUMENT when CometBFT would not take them
 */
export function afterBlock(
  sha256: Sha256,
  key: PublicKey,
  { next, given }: DecidingSets,
  updates: Powers,
): DecidingSets {
  const powers = updates.length === 0 ? given : updated(given, updates);
  const following = changed(sha256, next, decidingPowers(powers, key));
  return { current: next, next: following, given: powers, isStored: true };
}

/** What the next block says of this one, which `set` decided. */
export function lastCommitOf({ commit }: Pick<StoredBlock, "commit">, { validators }: ValidatorSet): LastCommit {
  const votes = validators.map(({ address, power }, index) => {
    const flag = commit.signatures[index]?.flag === FLAG_COMMIT ? "commit" : "absent";
    return { address, power, flag } as const;
  });
  return { round: commit.round, votes };
}

/** Stored beside the block that was made with `sets`: what a look at its height, or the one after, needs. */
export function putSets(store: ValidatorStore, batch: Batch, height: Height, sets: DecidingSets): void {
  const { current, next, isStored } = sets;
  if (!isStored) store.put(batch, height, current.set, true);
  store.put(batch, height + 1n, next.set, !equalBytes(current.hash, next.hash));
}

function updated(given: Powers, updates: Powers): Powers {
  const powers = new Map(given.map((each) => [toHex(each.publicKey.bytes), each]));
  for (const update of updates) {
    if (update.power === 0n) powers.delete(toHex(update.publicKey.bytes));
    else powers.set(toHex(update.publicKey.bytes), update);
  }
  return [...powers.values()];
}

/** The set of the block after one that `from` decides, when these are to have power. */
function changed(sha256: Sha256, from: HashedSet, wanted: Powers): HashedSet {
  const before = new Map(from.set.validators.map(({ publicKey, power }) => [toHex(publicKey.bytes), power]));
  const staying = new Set(wanted.map(({ publicKey }) => toHex(publicKey.bytes)));
  const gone = from.set.validators.filter(({ publicKey }) => !staying.has(toHex(publicKey.bytes)));
  const updates = [
    ...wanted.filter(({ publicKey, power }) => before.get(toHex(publicKey.bytes)) !== power),
    ...gone.map(({ publicKey }) => ({ publicKey, power: 0n })),
  ];
  if (updates.length === 0) return rotated(from);
  return hashed(sha256, rotateProposer(updateValidatorSet(sha256, from.set, updates)));
}

/** One block on. Turns are no part of the hash. */
function rotated(from: HashedSet): HashedSet {
  return from.set.validators.length < 2 ? from : { set: rotateProposer(from.set), hash: from.hash };
}

const hashed = (sha256: Sha256, set: ValidatorSet): HashedSet => ({ set, hash: validatorSetHash(sha256, set) });

const sameKey = (a: PublicKey, b: PublicKey) => a.type === b.type && equalBytes(a.bytes, b.bytes);

function otherKey(height: Height, sha256: Sha256, key: PublicKey): UpgradeError {
  const address = toUpperHex(addressOf(sha256, key));
  return new UpgradeError(
    "UPG_INVALID_CONFIG",
    `block ${height} is decided by another key than ${address} of config/priv_validator_key.json: the block before it ` +
      "says so, and clients follow it. Put back the key that this home's chain was made with; a chain with other keys " +
      `begins from an exported state (\`export\`)`,
  );
}
