/** The limits of a node's servers as settings: flags of `start`, lines of app.toml, and what they are without either. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { DOOR_LIMITS, type DoorLimits } from "../api/door.js";
import { SEARCH_LIMITS, type SearchLimits } from "../engine/search-budget.js";
import { parseCount, parseDuration } from "./options.js";

const NANOS_PER_MILLI = 1_000_000n;
/** The longest time that a timer counts. */
const MILLIS_MAX = 2_147_483_647n;

interface LimitSetting {
  /** `table.name` in app.toml, and the flag without its dashes. */
  readonly key: string;
  readonly unit: "count" | "bytes" | "time";
  readonly text: string;
  readonly door?: keyof DoorLimits;
  readonly search?: keyof SearchLimits;
}

const LIMITS: readonly LimitSetting[] = [
  { key: "rpc.max-request-batch-size", unit: "count", text: "calls in one request", door: "batchCalls" },
  { key: "rpc.max-batch-bytes", unit: "bytes", text: "bytes of the answers to one batch", door: "batchBytes" },
  { key: "rpc.max-websockets", unit: "count", text: "open websockets", door: "websockets" },
  {
    key: "rpc.max-subscription-clients",
    unit: "count",
    text: "websockets with subscriptions",
    door: "subscriptionClients",
  },
  {
    key: "rpc.max-subscriptions-per-client",
    unit: "count",
    text: "subscriptions of one websocket",
    door: "subscriptionsPerClient",
  },
  { key: "limits.max-open-connections", unit: "count", text: "connections to each server", door: "connections" },
  { key: "limits.max-requests", unit: "count", text: "requests that a server answers at once", door: "concurrency" },
  { key: "limits.max-body-bytes", unit: "bytes", text: "bytes of one request", door: "bodyBytes" },
  { key: "limits.header-time", unit: "time", text: "time for the head of a request to arrive", door: "headerMillis" },
  { key: "limits.request-time", unit: "time", text: "time for a whole request to arrive", door: "requestMillis" },
  { key: "limits.answer-time", unit: "time", text: "time for a client to take an answer", door: "answerMillis" },
  {
    key: "limits.max-unread-bytes",
    unit: "bytes",
    text: "bytes of answers that all clients together have not taken",
    door: "unreadBytes",
  },
  {
    key: "limits.max-client-unread-bytes",
    unit: "bytes",
    text: "bytes that one websocket has not taken",
    door: "clientUnreadBytes",
  },
  { key: "limits.search-time", unit: "time", text: "time that one search may compute", search: "millis" },
  { key: "limits.search-work", unit: "count", text: "index entries that one search may look at", search: "work" },
  { key: "limits.search-hits", unit: "count", text: "hits that one search counts", search: "hits" },
  { key: "limits.search-concurrency", unit: "count", text: "searches that run at once", search: "concurrency" },
  { key: "limits.search-waiting", unit: "count", text: "searches that wait for their turn", search: "waiting" },
];

const defaultOf = ({ door, search }: LimitSetting): number =>
  door ? DOOR_LIMITS[door] : search ? SEARCH_LIMITS[search] : 0;

/** As it is written: a count, or a time with its unit. */
const written = (setting: LimitSetting): string =>
  setting.unit === "time" ? `${defaultOf(setting)}ms` : String(defaultOf(setting));

function parseLimit(setting: LimitSetting): (text: string) => number {
  return (text) => {
    const value = setting.unit === "time" ? parseMillis(text) : parseCount(text);
    // A server that takes nothing is closed with its own switch; only the waiting room may be empty.
    if (value === 0 && setting.search !== "waiting") throw new InvalidArgumentError("expected more than 0.");
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
    command.addOption(option.argParser(parseLimit(setting)).default(defaultOf(setting), written(setting)).hideHelp());
  }
  return command;
}

export interface ChosenLimits {
  readonly doors: DoorLimits;
  readonly search: SearchLimits;
}

/** The limits that flags, environment and app.toml say, by the attribute of each flag. */
export function chosenLimits(command: Command): ChosenLimits {
  const doors: Record<string, number> = { ...DOOR_LIMITS };
  const search: Record<string, number> = { ...SEARCH_LIMITS };
  for (const { key, door, search: name } of LIMITS) {
    const option = command.options.find(({ long }) => long === `--${key}`);
    const value = option && command.getOptionValue(option.attributeName());
    if (typeof value !== "number") continue;
    if (door) doors[door] = value;
    if (name) search[name] = value;
  }
  return { doors: doors as unknown as DoorLimits, search: search as unknown as SearchLimits };
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
