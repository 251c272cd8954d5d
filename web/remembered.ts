/** What an earlier check of the page has seen and cannot have changed is not asked for again. All of it is verified again. */
import type { Ask, Evidence, EvidenceState, Json } from "chain-upgrade/verify";
import { fromBase64, toHex } from "../host/base/text/bytes.js";
import { list, members, text } from "./json.js";

const KEY_PATH = "/store/upgrade/key";
/** The scheduled plan's, in hex. */
const PLAN_KEY = "00";
/** No list of keys: they are known. */
const NO_LIST = {};

interface KnownRecord {
  readonly value: string | null;
  readonly proof_ops: Json;
}

/** Records of a state by their keys in hex. */
type Records = ReadonlyMap<string, KnownRecord>;

/**
 * An RPC whose light blocks are known, and records too while nothing is written to their store: the proof of one key names the root
 * of the whole store, so where the plan's is the same, all others are.
 */
export function remembered(ask: Ask, known: Evidence): Ask {
  const blocks = new Map(known.light_blocks.map((block) => [heightOf(block.signed_header), block]));
  const states = [known, ...(known.before ? [known.before] : [])].map(recordsOf);
  const plans = new Map<string, Promise<unknown>>();

  const planAt = (height: string) => {
    const plan = plans.get(height) ?? ask("abci_query", { path: KEY_PATH, data: PLAN_KEY, height, prove: true });
    plans.set(height, plan);
    return plan;
  };

  async function query(path: string, key: string, height: string): Promise<unknown> {
    const plan = await planAt(height);
    const isKey = path === KEY_PATH;
    if (isKey && key === PLAN_KEY) return plan;
    const [inStore, inApp] = opsOf(plan);
    const records =
      inApp === undefined ? undefined : states.find((state) => isSame(state.get(PLAN_KEY), plan, inStore));
    const record = isKey && records ? records.get(key) : undefined;
    if (!record) return records && !isKey ? NO_LIST : undefined;
    return { response: { value: record.value, proofOps: { ops: [list(record.proof_ops)[0], inApp] } } };
  }

  return async (method, params) => {
    const { height, path, data } = params;
    const block = blocks.get(String(height));
    if (method === "commit" && block) return { signed_header: block.signed_header };
    if (method === "validators" && block)
      return pageOf(list(block.validators), Number(params["page"]), Number(params["per_page"]));
    const response = method === "abci_query" ? await query(String(path), String(data), String(height)) : undefined;
    return response ?? ask(method, params);
  };
}

const heightOf = (signedHeader: unknown) => text(members(members(signedHeader)["header"])["height"]);
const opsOf = (answer: unknown) => list(members(members(members(answer)["response"])["proofOps"])["ops"]);
const dataOf = (op: unknown) => members(op)["data"];

function isSame(before: KnownRecord | undefined, answer: unknown, inStore: unknown): boolean {
  const value = members(members(answer)["response"])["value"];
  return (
    before !== undefined &&
    (before.value ?? "") === (value ?? "") &&
    dataOf(list(before.proof_ops)[0]) === dataOf(inStore)
  );
}

function recordsOf({ records, ranges }: EvidenceState): Records {
  const all = [...records, ...ranges.flatMap((range) => range.records)];
  return new Map(all.map(({ key, value, proof_ops }) => [toHex(fromBase64(key)), { value, proof_ops }]));
}

function pageOf(validators: readonly unknown[], page: number, size: number) {
  return { validators: validators.slice((page - 1) * size, page * size), total: String(validators.length) };
}
