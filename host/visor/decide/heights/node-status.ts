/** The height that a node reports: by its RPC, else by the program's own `status`, in the shapes of all releases. */

import { readBounded } from "../../../base/files/read-bounded.js";
import { decodeText } from "../../../base/text/text.js";
import type { Machine } from "../machine.js";
import { nodeIdIn } from "./own-node.js";

/** Asks the node; the parsed JSON. Rejects where there is none. */
export type AskRpc = (url: string, signal: AbortSignal) => Promise<unknown>;

const RPC_MILLIS = 2_000;
const COMMAND_MILLIS = 10_000;
const LINES_TRIED_MAX = 20;
/** A plan's information may be long. */
const BYTES_MAX = 4 * 1_048_576;

export const askRpc: AskRpc = async (url, signal) => {
  const body = await readBounded(await fetch(url, { signal, redirect: "error" }), BYTES_MAX);
  if (!body) throw new Error(`${url} sends more than ${BYTES_MAX} bytes`);
  return JSON.parse(decodeText(body));
};

/** Whose height is asked. */
export interface AskedNode {
  readonly address: string;
  /** Of this home's node; undefined: nothing says it, and any node of the chain is believed. */
  readonly ownId: string | undefined;
  /** Another node of the chain has responded. */
  readonly onOther: (url: string, id: string) => void;
}

/** Undefined: it does not answer, or is another node. */
export async function heightByRpc({ address, ownId, onOther }: AskedNode, ask: AskRpc): Promise<bigint | undefined> {
  if (address === "") return undefined;
  try {
    const url = `${address.replace(/^tcp:/, "http:").replace(/\/$/, "")}/status`;
    const status = await ask(url, AbortSignal.timeout(RPC_MILLIS));
    const id = nodeIdIn(status);
    if (ownId === undefined || id === undefined || id === ownId) return heightIn(status);
    onOther(url, id);
    return undefined;
  } catch {
    return undefined;
  }
}

export interface StatusCommand {
  readonly file: string;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** `<program> status --home <home>`, on either stream. Undefined: it does not say. */
export async function heightByCommand(
  { processes }: Machine,
  { file, home, cwd, env, signal }: StatusCommand,
): Promise<bigint | undefined> {
  const args = ["status", "--home", home];
  const end = await processes.run(file, { args, env, cwd, millisMax: COMMAND_MILLIS, signal });
  if (end.error || end.exit !== 0) return undefined;
  return heightInText(end.stdout) ?? heightInText(end.stderr);
}

/** Lines of a log may come before the JSON. */
function heightInText(text: string): bigint | undefined {
  for (const { index } of [...text.matchAll(/^[ \t]*\{/gm)].slice(0, LINES_TRIED_MAX)) {
    try {
      return heightIn(JSON.parse(text.slice(index)));
    } catch {
      // A line of a log that begins with a brace.
    }
  }
  return undefined;
}

/** `sync_info` and `SyncInfo`, by themselves or as an RPC's result. */
export function heightIn(json: unknown): bigint | undefined {
  const table = tableOf(json);
  const outer = tableOf(table["result"]);
  const sync = [table, outer].flatMap((each) => [each["sync_info"], each["SyncInfo"]]).find(Boolean);
  const height = tableOf(sync)["latest_block_height"];
  const text = typeof height === "number" ? String(height) : height;
  return typeof text === "string" && /^[0-9]{1,16}$/.test(text) ? BigInt(text) : undefined;
}

function tableOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
