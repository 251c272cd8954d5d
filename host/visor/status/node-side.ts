/**
 * What the node says over its own interfaces: the times of its blocks, and how far an upgrade's block has come. It may be any
 * program, or silent: nothing here waits long, reads much, or is an error.
 */

import { decodeLossy } from "../../base/text/text.js";
import { parseTime } from "../../base/time/time.js";
import { type Moment, windowsOf } from "../../chain/app/pace.js";
import { givenAddress } from "../decide/heights/served-rpc.js";
import type { Machine } from "../decide/machine.js";
import type { VisorStatus } from "../decide/status.js";
import { type Fetched, fetchBounded } from "./fetch-bounded.js";

const MILLIS_MAX = 2_000;
const JSON_BYTES_MAX = 1_048_576;
/** Of responses that are passed on. */
const PASSED_ON_MILLIS = 10_000;
const PASSED_ON_BYTES = 4 * 1_048_576;
const REST_DEFAULT = "127.0.0.1:1317";
const NANOS = 1_000_000_000n;
/** A chain whose last block is older is not at its pace: the node catches up, or the chain has stopped. */
const FRESH_MILLIS = 60_000;

export interface NodeSideOptions {
  /** DAEMON_HOME. */
  readonly home: string;
  readonly rpcAddress: string;
  /** Of the application. */
  readonly args: readonly string[];
  readonly machine: Pick<Machine, "files" | "clock">;
}

export class NodeSide {
  constructor(private readonly options: NodeSideOptions) {}

  /** Blocks before the last one at which the windows of the pace begin; empty: not known, or the node catches up. */
  async blocksBefore(): Promise<readonly Moment[]> {
    const { clock } = this.options.machine;
    const status = members(members(await this.#rpc("status"))["sync_info"]);
    const last = momentOf(status["latest_block_height"], status["latest_block_time"]);
    if (!last || status["catching_up"] === true) return [];
    if (Math.abs(clock.wall() - Number(last.nanos / 1_000_000n)) > FRESH_MILLIS) return [];
    const earliest = integer(status["earliest_block_height"]) ?? 1n;
    const found: Moment[] = [last];
    for (const window of windowsOf(last.height, earliest)) {
      const commit = members(await this.#rpc(`commit?height=${last.height - window}`));
      const header = members(members(commit["signed_header"])["header"]);
      const moment = momentOf(header["height"], header["time"]);
      if (moment) found.push(moment);
    }
    return found;
  }

  /** Of `/chain/upgrade/v1/status` of a node of this project; null: it has no such thing now. */
  async progress(): Promise<VisorStatus["progress"]> {
    const progress = members(members(await this.status())["progress"]);
    const { phase, store, done, total } = progress;
    if (typeof phase !== "string" || typeof done !== "number") return null;
    const isKnown = typeof total === "number" && total > 0;
    const what = typeof store === "string" && store !== "" ? `${phase} ${store}` : phase;
    return { what, done: String(done), total: isKnown ? String(total) : null };
  }

  /** Undefined: no node of this project responds. */
  async status(): Promise<unknown> {
    return json(await this.#get(`http://${this.#restAddress()}/chain/upgrade/v1/status`));
  }

  /** As it came; undefined: the node's RPC does not respond. @param query of the address, as it was sent */
  rpc(method: string, query: string): Promise<Fetched | undefined> {
    const url = `${rpcUrl(this.options.rpcAddress)}/${method}${query === "" ? "" : `?${query}`}`;
    return fetchBounded(url, { millisMax: PASSED_ON_MILLIS, bytesMax: PASSED_ON_BYTES });
  }

  async #rpc(what: string): Promise<unknown> {
    return members(json(await this.#get(`${rpcUrl(this.options.rpcAddress)}/${what}`)))["result"];
  }

  async #get(url: string): Promise<Fetched | undefined> {
    return fetchBounded(url, { millisMax: MILLIS_MAX, bytesMax: JSON_BYTES_MAX });
  }

  /** As the node is started with it, else as its `app.toml` has it. */
  #restAddress(): string {
    const { args, home, machine } = this.options;
    return givenAddress({ files: machine.files, args }, `${home}/config/app.toml`, "api.address") ?? REST_DEFAULT;
  }
}

/** CometBFT writes its own addresses with tcp. */
const rpcUrl = (address: string): string => address.replace(/^tcp:/, "http:").replace(/\/+$/, "");

function json(fetched: Fetched | undefined): unknown {
  try {
    return fetched?.status === 200 ? JSON.parse(decodeLossy(fetched.body)) : undefined;
  } catch {
    return undefined;
  }
}

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const integer = (value: unknown) =>
  typeof value === "string" && /^[0-9]{1,19}$/.test(value) ? BigInt(value) : undefined;

function momentOf(height: unknown, time: unknown): Moment | undefined {
  const known = integer(height);
  if (known === undefined || typeof time !== "string") return undefined;
  try {
    const { seconds, nanos } = parseTime(time);
    return { height: known, nanos: seconds * NANOS + BigInt(nanos) };
  } catch {
    return undefined;
  }
}
