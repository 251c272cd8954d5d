/**
 * event-query.json: what CometBFT's own query package and its two kv indexers say of texts of searches. The runner
 * compares what is refused and what a subscription gets; event-query.test.ts compares the searches, which take turns.
 */
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { type EventCondition, eventValues, subscriptionMatcher } from "../../host/chain/events/event-query.js";
import { parseEventQuery } from "../../host/chain/events/event-query-text.js";
import { type CaseRunner, expectEqual } from "./harness.js";

/** Ours takes, or refuses, another text than CometBFT on purpose. */
function tagOf(query: string): string | undefined {
  if (/=\s*"(?:[^"\\]|\\.)*"$/.test(query)) return "double-quotes";
  if (/[0-9]{513}/.test(query)) return "long-number";
  return query === "e.v=3 'x" ? "cut-quote" : undefined;
}

export const runEventQuery: CaseRunner = (vector) => {
  const query: string = vector["query"];
  const tag = tagOf(query);
  const isTaken = vector["error"] === undefined;
  const conditions = parsed(query);
  expectEqual(conditions !== undefined, tag ? !isTaken : isTaken, "is parsed");
  if (tag !== undefined || !conditions) return tag ? [tag] : [];
  const matches = subscriptionMatcher(conditions);
  const values: readonly string[] = vector["values"];
  const heights = values.map((_, at) => at + 1);
  const fitting = heights.filter((height) => matches(subscribedValues(height, values[height - 1] as string)));
  expectEqual(fitting, withRounded(query, values, vector["subscribe"]), "subscribe");
  return isRounded(query) ? ["rounded"] : [];
};

/** CometBFT keeps 125 bits of a fraction: this many nines are 3.5 to it, and 3.5 is not above them. */
const isRounded = (query: string): boolean => /^e\.v>3\.49{40,}$/.test(query);

export function withRounded(query: string, values: readonly string[], found: readonly number[]): readonly number[] {
  return isRounded(query) ? [...found, values.indexOf("3.5") + 1].sort((a, b) => a - b) : found;
}

export const hashOfTx = (height: number): string =>
  Buffer.from(sha256(Buffer.from(`tx${height}`)))
    .toString("hex")
    .toUpperCase();

export const eventsWith = (value: string) => [{ type: "e", attributes: [{ key: "v", value }] }];

function subscribedValues(height: number, value: string) {
  const values = eventValues(eventsWith(value));
  return values
    .set("tm.event", ["Tx"])
    .set("tx.height", [String(height)])
    .set("tx.hash", [hashOfTx(height)]);
}

/** Undefined: it is refused, and for what it is. */
function parsed(query: string): readonly EventCondition[] | undefined {
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_INVALID_ARGUMENT") return undefined;
    throw error;
  }
}
