/**
 * Which events fit a search. CometBFT has two rules, and so has this: a subscription reads the number that a value
 * begins with (`8stake` is 8) and compares =5 with it; a search finds =5 by its text, and reads a value as a number
 * only as a whole. TIME and DATE are compared alike in both; CometBFT's index finds them by = alone.
 */
import { compareNumbers, type EventNumber, readLeadingNumber, readNumber } from "./event-numbers.js";
import { readEventDate, readEventTime } from "./event-times.js";

type Order = "<" | "<=" | ">" | ">=";

/** A condition on events, `type.key` compared with a value; all of a search must hold. */
export interface EventCondition {
  readonly key: string;
  readonly operator: Order | "=" | "CONTAINS" | "EXISTS";
  /** How the value was written; "none": EXISTS has no value. */
  readonly type: "text" | "number" | "time" | "date" | "none";
  /** Without quotes, TIME and DATE. */
  readonly value: string;
}

/** `type.key` of every attribute with its values. */
type EventValues = ReadonlyMap<string, readonly string[]>;

export type EventMatcher = (values: EventValues) => boolean;

export function eventValues(
  events: readonly { readonly type: string; readonly attributes: readonly { key: string; value: string }[] }[],
): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) {
      const name = `${type}.${key}`;
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  return values;
}

/** Does at least one value fit each condition of a search? */
export function searchMatcher(conditions: readonly EventCondition[]): EventMatcher {
  const tests = conditions.map((condition) => ({ key: condition.key, fits: searchTest(condition) }));
  return (values) => tests.every(({ key, fits }) => (values.get(key) ?? []).some(fits));
}

/** Does at least one value fit each condition of a subscription? The type of an event alone has the value "". */
export function subscriptionMatcher(conditions: readonly EventCondition[]): EventMatcher {
  const tests = conditions.map((condition) => {
    const fits = subscriptionTest(condition);
    return { key: condition.key, fits, takesType: fits("") };
  });
  return (values) =>
    tests.every(
      ({ key, fits, takesType }) => (values.get(key) ?? []).some(fits) || (takesType && hasType(values, key)),
    );
}

function hasType(values: EventValues, type: string): boolean {
  for (const name of values.keys()) {
    if (name.lastIndexOf(".") === type.length && name.startsWith(type)) return true;
  }
  return false;
}

type ValueTest = (value: string) => boolean;

const ORDERS: Readonly<Record<Order | "=", (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function searchTest(condition: EventCondition): ValueTest {
  if (condition.operator === "=") return (value) => value === condition.value;
  return valueTest(condition, (value) => readNumber(value.trim()));
}

function subscriptionTest(condition: EventCondition): ValueTest {
  return valueTest(condition, readLeadingNumber);
}

function valueTest(
  { operator, type, value: wanted }: EventCondition,
  numberIn: (value: string) => EventNumber | undefined,
): ValueTest {
  if (operator === "EXISTS") return () => true;
  if (operator === "CONTAINS") return (value) => value.includes(wanted);
  const isOrder = ORDERS[operator];
  if (type === "number") return comparison(readNumber(wanted), numberIn, compareNumbers, isOrder);
  if (type === "time") return comparison(readEventTime(wanted), readEventTime, compareMoments, isOrder);
  if (type === "date") return comparison(readEventDate(wanted), readEventDate, compareMoments, isOrder);
  return (value) => operator === "=" && value === wanted;
}

const compareMoments = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** A value that cannot be read fits nothing. */
function comparison<T>(
  wanted: T | undefined,
  read: (value: string) => T | undefined,
  compare: (a: T, b: T) => number,
  isOrder: (order: number) => boolean,
): ValueTest {
  return (value) => {
    const found = read(value);
    return found !== undefined && wanted !== undefined && isOrder(compare(found, wanted));
  };
}
