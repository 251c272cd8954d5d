/** Whether claims are true of a chain: asked of its own state and headers, never of a proof. */
import { bigEndian64, concatBytes, equalBytes, utf8 } from "../../host/base/text/bytes.js";
import {
  DONE_RANGE,
  decodePlan,
  doneUpgradesOf,
  PLAN_KEY,
  receiptKey,
  VERSION_RANGE,
  versionsOf,
} from "../../host/verify/records.js";
import type { Claim, Claims } from "../../host/verify/types.js";
import type { MadeChain } from "../unit/verify/made-chain.js";

/** The first claim that is not true; undefined: all are. What is called unproven is no claim. */
export function untrueClaim(chain: MadeChain, { claims, height }: Claims): Claim | undefined {
  return claims.find((claim) => claim.state !== "unproven" && !isTrue(chain, height, claim));
}

function isTrue(chain: MadeChain, height: bigint, claim: Claim): boolean {
  const state = stateAt(chain, height);
  switch (claim.id) {
    case "header":
      return isHeader(chain, claim.value);
    case "plan":
      return isEqual(state.plan(), claim.value);
    case "no-plan":
      return state.plan() === undefined;
    case "done":
      return isDone(state, claim.value);
    case "versions":
      return isEqual(state.versions(), claim.value);
    case "receipt":
      return claim.value
        ? isEqual(state.get(receiptKey(claim.value.name)), claim.value.bytes)
        : claim.state === "absent" && !hasReceipt(state);
    case "plan-before":
      return state.done().some(({ height: at }) => isEqual(stateAt(chain, at - 1n).plan(), claim.value));
    case "versions-before":
      return state.done().some(({ height: at }) => isEqual(stateAt(chain, at - 1n).versions(), claim.value));
    default:
      return false;
  }
}

type State = ReturnType<typeof stateAt>;

function stateAt(chain: MadeChain, height: bigint) {
  const store = chain.stores.at(height).store("upgrade");
  const get = (key: Uint8Array) => store.get(key);
  return {
    get,
    plan: () => {
      const bytes = get(PLAN_KEY);
      return bytes && decodePlan(bytes);
    },
    done: () => doneUpgradesOf([...store.iterate(DONE_RANGE)]) ?? [],
    versions: () => versionsOf([...store.iterate(VERSION_RANGE)]),
  };
}

const hasReceipt = (state: State) => state.done().some(({ name }) => state.get(receiptKey(name)) !== undefined);

function isDone(state: State, value: { name: string; height: bigint | undefined } | undefined): boolean {
  if (!value) return false;
  if (value.height === undefined) return state.done().every(({ name }) => name !== value.name);
  const key = concatBytes(Uint8Array.of(1), bigEndian64(value.height), utf8(value.name));
  return state.get(key) !== undefined;
}

function isHeader(chain: MadeChain, value: { height: bigint; appHash: Uint8Array } | undefined): boolean {
  const block = value && chain.blocks[Number(value.height) - 1];
  return block !== undefined && isEqual(block.signedHeader.header.appHash, value?.appHash);
}

/** Values of claims: bytes, maps of texts to numbers, and objects of such. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalBytes(a, b);
  return a !== undefined && b !== undefined && shown(a) === shown(b);
}

const shown = (value: unknown) =>
  JSON.stringify(value instanceof Map ? [...value].sort() : value, (_name, each) =>
    typeof each === "bigint" ? `${each}n` : each,
  );
