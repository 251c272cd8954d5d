/** The limits of a node's servers as settings: flags of `start`, lines of app.toml, and what they are without either. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseCount, parseDuration } from "../../base/terminal/options.js";
import { SEARCH_LIMITS, type SearchLimits } from "../../node/blocks/search-budget.js";
import { SERVER_LIMITS } from "../../serve/limits/server.js";
import type { ServerLimits } from "../../serve/limits/server-limits.js";

const NANOS_PER_MILLI = 1_000_000n;
/** The longest time that a timer counts. */
const MILLIS_MAX = 2_147_483_647n;

export interface ChosenLimits {
  readonly servers: ServerLimits;
  readonly search: SearchLimits;
}

/** Limits by who holds them, with what they are unless a setting says otherwise. */
const DEFAULTS: Readonly<ChosenLimits> = { servers: SERVER_LIMITS, search: SEARCH_LIMITS };

type Holder = keyof ChosenLimits;

interface LimitSetting {
  /** `table.name` in app.toml, and the flag without its dashes. */
  readonly key: string;
  readonly unit: "count" | "bytes" | "time";
  readonly text: string;
  readonly holder: Holder;
  /** Among the holder's limits. */
  readonly name: string;
  readonly default: number;
}

type Described<H extends Holder> = Omit<LimitSetting, "holder" | "name" | "default"> & {
  readonly name: keyof ChosenLimits[H] & string;
};

function limitsOf<H extends Holder>(holder: H, limits: readonly Described<H>[]): LimitSetting[] {
  const defaults: ChosenLimits[H] = DEFAULTS[holder];
  return limits.map((limit) => ({ ...limit, holder, default: Number(defaults[limit.name]) }));
}

const LIMITS: readonly LimitSetting[] = [
  ...limitsOf("servers", [
    { key: "rpc.max-request-batch-size", unit: "count", text: "calls in one request", name: "batchCalls" },
    { key: "rpc.max-batch-bytes", unit: "bytes", text: "bytes of the responses to one batch", name: "batchBytes" },
    { key: "rpc.max-websockets", unit: "count", text: "open websockets", name: "websockets" },
    {
      key: "rpc.max-subscription-clients",
      unit: "count",
      text: "websockets with subscriptions",
      name: "subscriptionClients",
    },
    {
      key: "rpc.max-subscriptions-per-client",
      unit: "count",
      text: "subscriptions of one websocket",
      name: "subscriptionsPerClient",
    },
    { key: "limits.max-open-connections", unit: "count", text: "connections to each server", name: "connections" },
    { key: "limits.max-requests", unit: "count", text: "requests that a server handles at once", name: "concurrency" },
    { key: "limits.max-body-bytes", unit: "bytes", text: "bytes of one request", name: "bodyBytes" },
    {
      key: "limits.max-arriving-bytes",
      unit: "bytes",
      text: "bytes of requests of all clients together that wait for their response",
      name: "arrivingBytes",
    },
    { key: "limits.header-time", unit: "time", text: "time for the head of a request to arrive", name: "headerMillis" },
    { key: "limits.request-time", unit: "time", text: "time for a whole request to arrive", name: "requestMillis" },
    { key: "limits.answer-time", unit: "time", text: "time for a client to take an answer", name: "answerMillis" },
    {
      key: "limits.max-unread-bytes",
      unit: "bytes",
      text: "bytes of responses that all clients together have not read",
      name: "unreadBytes",
    },
    {
      key: "limits.max-client-unread-bytes",
      unit: "bytes",
      text: "bytes that one websocket has not taken",
      name: "clientUnreadBytes",
    },
  ]),
  ...limitsOf("search", [
    { key: "limits.search-time", unit: "time", text: "time that one search may compute", name: "millis" },
    { key: "limits.search-work", unit: "count", text: "index entries that one search may look at", name: "work" },
    { key: "limits.search-hits", unit: "count", text: "hits that one search counts", name: "hits" },
    { key: "limits.search-concurrency", unit: "count", text: "searches that run at once", name: "concurrency" },
    { key: "limits.search-waiting", unit: "count", text: "searches that wait for their turn", name: "waiting" },
  ]),
];

/** As it is written: a count, or a time with its unit. */
const written = (setting: LimitSetting): string =>
  setting.unit === "time" ? `${setting.default}ms` : String(setting.default);

function parseLimit(setting: LimitSetting): (text: string) => number {
  return (text) => {
    const value = setting.unit === "time" ? parseMillis(text) : parseCount(text);
    // A server that takes nothing is closed with its own switch; only the waiting room may be empty.
    if (value === 0 && setting.key !== "limits.search-waiting") throw new InvalidArgumentError("expected more than 0.");
    return value;
  };
}

function parseMillis(text: string): number {
  const millis = parseDuration(text) / NANOS_PER_MILLI;
  if (millis > MILLIS_MAX) throw new InvalidArgumentError(`expected at most ${MILLIS_MAX}ms.`);
  return Number(millis);
}

/** Flags that help does not list: app.toml does, with their meaning. */
export function addLimitFlags(command: Command): Command {
  for (const setting of LIMITS) {
    const option = new Option(`--${setting.key} <${setting.unit}>`, setting.text);
    command.addOption(option.argParser(parseLimit(setting)).default(setting.default, written(setting)).hideHelp());
  }
  return command;
}

/** The limits that flags, environment and app.toml say, by the attribute of each flag. */
export function chosenLimits(command: Command): ChosenLimits {
  const chosen: Record<Holder, Record<string, number>> = {
    servers: { ...SERVER_LIMITS },
    search: { ...SEARCH_LIMITS },
  };
  for (const { key, holder, name } of LIMITS) {
    const option = command.options.find(({ long }) => long === `--${key}`);
    const value = option && command.getOptionValue(option.attributeName());
    if (typeof value === "number") chosen[holder][name] = value;
  }
  // The names come from LIMITS, which has each of them; the compiler sees keys of any name.
  return chosen as unknown as ChosenLimits;
}

/** The lines of a table in app.toml. */
export function limitLines(table: "rpc" | "limits"): string {
  return LIMITS.filter(({ key }) => key.startsWith(`${table}.`))
    .map((setting) => {
      const value = setting.unit === "time" ? JSON.stringify(written(setting)) : written(setting);
      return `# ${setting.text}\n${setting.key.slice(table.length + 1)} = ${value}\n`;
    })
    .join("");
}

/** What holds where app.toml says nothing. */
export function limitDefaults(): ReadonlyMap<string, string> {
  return new Map(LIMITS.map((setting) => [setting.key, written(setting)]));
}
