/** What verified evidence shows: claims in words, each with what it rests on. */

import { isUpgradeError } from "../base/errors/errors.js";
import { toHex, toUpperHex } from "../base/text/bytes.js";
import { cutText } from "../base/text/text.js";
import { quoted, visible } from "../base/text/visible.js";
import { formatTime } from "../base/time/time.js";
import { MODULE_NAME_BYTES_MAX, PLAN_NAME_BYTES_MAX } from "../base/types/limits.js";
import type { DoneUpgrade, Plan, VersionMap } from "../base/types/types.js";
import { decodeReceipt, type Receipt, type StoreReceipt } from "../upgrade/handler/receipt.js";
import type { ProvenState } from "./proven-state.js";
import type { Claim, ClaimId, ClaimOf, ClaimState, ClaimValues, Trusted, TrustRoot } from "./types.js";

/** What a trusted block is worth, by where its hash came from. */
const ROOTS: Readonly<Record<TrustRoot["from"], { readonly state: ClaimState; readonly named: string }>> = {
  yours: { state: "proven", named: "which you trust" },
  link: { state: "link-root", named: "which a link has named" },
  server: { state: "server-root", named: "which the server that is checked has named" },
};

/** Makes claims of one verification: what all of them rest on, and how far that goes. */
export class ClaimMaker {
  readonly #rests: readonly string[];
  readonly #state: ClaimState;

  constructor(root: TrustRoot, trusted: Trusted) {
    const { state, named } = ROOTS[root.from];
    this.#state = state;
    this.#rests = [
      `block ${root.height} with hash ${toUpperHex(root.hash)}, ${named}`,
      ...(trusted.steps === 0 ? [] : [signaturesLine(trusted)]),
    ];
  }

  header({ lightBlock }: Trusted): Claim {
    const { height, time, appHash } = lightBlock.signedHeader.header;
    const words = `Header ${height} of ${formatTime(time)} is the chain's.`;
    return this.#claim("header", words, { height, time, appHash }, []);
  }

  /** Of the state that evidence is about. */
  ofState(state: ProvenState, name: string | undefined): Claim[] {
    return [
      ...this.#plan(state),
      ...this.#done(state, name),
      ...this.#versions("versions", state),
      ...this.#receipt(state, name),
    ];
  }

  /** Of the state before an upgrade's block. */
  ofStateBefore(state: ProvenState): Claim[] {
    const { plan } = state;
    const scheduled = plan ? [this.#proven("plan-before", planBeforeWords(plan, state), plan, state)] : [];
    return [...scheduled, ...this.#versions("versions-before", state)];
  }

  #plan(state: ProvenState): Claim[] {
    const { plan, height } = state;
    if (plan === null) {
      return [this.#proven("no-plan", `No upgrade is scheduled after block ${height}.`, undefined, state)];
    }
    return plan ? [this.#proven("plan", planWords(plan, state), plan, state)] : [];
  }

  #done(state: ProvenState, name: string | undefined): Claim[] {
    const { done } = state;
    if (!done) return [];
    const claims = done.map((each) => this.#proven("done", doneWords(each), each, state));
    if (name === undefined || done.some((each) => each.name === name)) return claims;
    const words = `Upgrade ${planName(name)} has not been applied up to block ${state.height}.`;
    return [...claims, this.#proven("done", words, { name, height: undefined }, state)];
  }

  #versions(id: "versions" | "versions-before", state: ProvenState): Claim[] {
    const { versions, height } = state;
    if (!versions || versions.size === 0) return [];
    return [
      this.#proven(id, `Versions of all modules after block ${height}: ${versionWords(versions)}.`, versions, state),
    ];
  }

  #receipt(state: ProvenState, name: string | undefined): Claim[] {
    const receipt = name === undefined ? undefined : state.receiptOf(name);
    if (name === undefined || receipt === undefined) return [];
    const upgrade = `upgrade ${planName(name)}`;
    if (receipt === null) {
      const words = `The chain keeps no receipt of ${upgrade}.`;
      return [{ ...this.#proven("receipt", words, undefined, state), state: "absent" }];
    }
    const decoded = receiptIn(receipt);
    if (!decoded) return [];
    const words = `A handler's receipt of ${upgrade}: ${receiptWords(decoded)}.`;
    return [this.#proven("receipt", words, { name, bytes: receipt, receipt: decoded }, state)];
  }

  #proven<Id extends ClaimId>(id: Id, words: string, value: ClaimValues[Id] | undefined, { height }: ProvenState) {
    return this.#claim(id, words, value, [`ICS-23 proofs under the app hash of header ${height + 1n}`]);
  }

  #claim<Id extends ClaimId>(
    id: Id,
    words: string,
    value: ClaimValues[Id] | undefined,
    more: readonly string[],
  ): Claim {
    const claim: ClaimOf<Id> = { id, state: this.#state, words, restsOn: [...this.#rests, ...more], value };
    // Each identifier has its own type of value, which the compiler does not follow through a type parameter.
    return claim as unknown as Claim;
  }
}

function signaturesLine({ signatures, steps, lightBlock }: Trusted): string {
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const { height } = lightBlock.signedHeader.header;
  return `${count(signatures, "signature")} of validators, up to header ${height}, over ${count(steps, "header")}`;
}

/** Of the text that says where evidence was collected. */
const SOURCE_BYTES = 200;

/** What a server says by itself. */
export function unprovenClaim<Id extends "status" | "plan-status">(
  id: Id,
  words: string,
  value: ClaimValues[Id],
  source: string,
): Claim {
  const claim: ClaimOf<Id> = {
    id,
    state: "unproven",
    words,
    restsOn: [`the word of ${visible(cutText(source, SOURCE_BYTES))} alone`],
    value,
  };
  // As in `#claim`: the compiler does not follow the type of the value through a type parameter.
  return claim as unknown as Claim;
}

/** A state may hold names that no chain of ours would let in: what they say must not read as words of the claim. */
const planName = (name: string) => quoted(name, PLAN_NAME_BYTES_MAX);
/** As modules are called everywhere; any other name is put in quotation marks. */
const PLAIN_MODULE = /^[A-Za-z0-9_./-]+$/;
const moduleName = (name: string) =>
  name.length <= MODULE_NAME_BYTES_MAX && PLAIN_MODULE.test(name) ? name : quoted(name, MODULE_NAME_BYTES_MAX);

/** A claim is read out of a file too, long after its block. */
const planWords = ({ name, height }: Plan, state: ProvenState) =>
  `Upgrade ${planName(name)} is scheduled for block ${height} in the state after block ${state.height}.`;
const planBeforeWords = ({ name, height }: Plan, state: ProvenState) =>
  `In the state after block ${state.height}, upgrade ${planName(name)} was scheduled for block ${height}.`;
const doneWords = ({ name, height }: DoneUpgrade) => `Upgrade ${planName(name)} was applied in block ${height}.`;

/** Undefined: another chain keeps something else under that key. */
function receiptIn(bytes: Uint8Array): Receipt | undefined {
  try {
    return decodeReceipt(bytes);
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
}

function receiptWords({ gas, stores, handlerSha256 }: Receipt): string {
  const total = (count: (store: StoreReceipt) => bigint) => stores.reduce((sum, store) => sum + count(store), 0n);
  const [written, deleted] = [total((store) => store.written), total((store) => store.deleted)];
  const handler = handlerSha256.length > 0 ? `of file ${toHex(handlerSha256)}` : "of a file that it does not name";
  return `${handler}, ${written} pairs written, ${deleted} deleted, ${gas} gas`;
}

/** As many as a line bears; the value has all of them. */
const MODULES_IN_WORDS = 64;

function versionWords(versions: VersionMap): string {
  const all = [...versions].map(([name, version]) => `${moduleName(name)} ${version}`);
  const more = all.length - MODULES_IN_WORDS;
  return all.slice(0, MODULES_IN_WORDS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
