/** The form of values that callers without types may hand in: each member is read once, and its type and range hold then. */
import { UpgradeError } from "../base/errors/errors.js";
import { INT64_MAX, UINT64_MAX } from "../base/types/limits.js";

const INT32_MAX = 2_147_483_647;
const UINT32_MAX = 4_294_967_295;
const NANOS_MAX = 999_999_999;
const LIST_MAX = 100_000;

const isWhole = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
const isBetween = (value: unknown, least: bigint, most: bigint) =>
  typeof value === "bigint" && value >= least && value <= most;

const KINDS = Object.freeze({
  any: () => true,
  text: (value: unknown) => typeof value === "string",
  // A proxy of an array of bytes is an instance, and no view.
  bytes: (value: unknown) => ArrayBuffer.isView(value) && value instanceof Uint8Array,
  function: (value: unknown) => typeof value === "function",
  int64: (value: unknown) => isBetween(value, -INT64_MAX - 1n, INT64_MAX),
  uint64: (value: unknown) => isBetween(value, 0n, UINT64_MAX),
  int32: (value: unknown) => isWhole(value, INT32_MAX),
  uint32: (value: unknown) => isWhole(value, UINT32_MAX),
  count: (value: unknown) => isWhole(value, Number.MAX_SAFE_INTEGER),
  nanos: (value: unknown) => isWhole(value, NANOS_MAX),
  "yours, link or server": (value: unknown) => value === "yours" || value === "link" || value === "server",
});

type Kind = keyof typeof KINDS;
/** A kind, with `?` where the value may be left out; a list of a form; members by name. */
export type Form = Kind | `${Kind}?` | readonly [Form] | { readonly [name: string]: Form };

const isList = (form: Form): form is readonly [Form] => Array.isArray(form);

/**
 * A copy that has the members of the form and no other. Bytes and functions are not copied.
 *
 * @param refuse makes the error of the caller
 */
export function formed<T>(value: unknown, form: Form, what: string, refuse: (what: string) => UpgradeError): T {
  const read = (it: unknown, as: Form, path: string): unknown => {
    if (typeof as === "string") {
      if (as.endsWith("?") && it === undefined) return undefined;
      const kind = as.replace("?", "") as Kind;
      if (!KINDS[kind](it)) throw refuse(`${path}: expected ${kind}`);
      return it;
    }
    if (isList(as)) {
      if (!Array.isArray(it) || it.length > LIST_MAX) throw refuse(`${path}: expected a list`);
      // By index: an array may have holes, which `map` passes over.
      return Array.from({ length: it.length }, (_, at) => read(it[at], as[0], `${path}[${at}]`));
    }
    if (typeof it !== "object" || it === null) throw refuse(`${path}: expected an object`);
    const members = it as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(as).map(([name, each]) => [name, read(members[name], each, `${path}.${name}`)]),
    );
  };
  return read(value, form, what) as T;
}

/** The same for arguments. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function argument<T>(value: unknown, form: Form, what: string): T {
  return formed(value, form, what, (words) => new UpgradeError("UPG_INVALID_ARGUMENT", words));
}

export const TIME: Form = { seconds: "int64", nanos: "nanos" };

const BLOCK_ID: Form = { hash: "bytes", parts: { total: "uint32", hash: "bytes" } };

export const HEADER: Form = {
  version: { block: "uint64", app: "uint64" },
  chainId: "text",
  height: "int64",
  time: TIME,
  lastBlockId: BLOCK_ID,
  lastCommitHash: "bytes",
  dataHash: "bytes",
  validatorsHash: "bytes",
  nextValidatorsHash: "bytes",
  consensusHash: "bytes",
  appHash: "bytes",
  lastResultsHash: "bytes",
  evidenceHash: "bytes",
  proposerAddress: "bytes",
};

/** Proposer and priorities are in no hash: nothing rests on them. */
export const LIGHT_BLOCK: Form = {
  signedHeader: {
    header: HEADER,
    commit: {
      height: "int64",
      round: "int32",
      blockId: BLOCK_ID,
      signatures: [{ flag: "uint32", validatorAddress: "bytes", timestamp: TIME, signature: "bytes" }],
    },
  },
  validators: {
    validators: [{ address: "bytes", publicKey: { type: "text", bytes: "bytes" }, power: "int64", priority: "int64" }],
    totalPower: "int64",
  },
};
