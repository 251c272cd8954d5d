/**
 * The text of a search, in the language of CometBFT 0.38 (its `libs/pubsub/query/syntax`):
 *   tx.height>=5 AND transfer.amount CONTAINS 'stake' AND a.b<3.5 AND c.d>DATE 2026-01-31 AND e.f EXISTS
 * What its parser refuses is refused here. Beyond it a text may be in double quotes, where \ lets any character follow:
 * texts in single quotes have no form for a quote.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import type { EventCondition } from "./event-query.js";
import { readEventDate, readEventTime } from "./event-times.js";

const QUERY_CHARACTERS_MAX = 8_192;
const CONDITIONS_MAX = 16;
const NUMBER_CHARACTERS_MAX = 512;
const YEAR_MIN = 1_900;
const YEAR_MAX = 2_999;

const TOKEN =
  /\p{White_Space}*(?:(?<number>[0-9]+(?:\.[0-9]*)?)|TIME (?<time>[-0-9T:+Z]*)|DATE (?<date>[-0-9]*)|(?<word>[_\p{L}\p{Nd}][-._\p{L}\p{Nd}]*)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|(?<sign><=|>=|[<>=])|(?<end>$))/uy;

type ValueType = Exclude<EventCondition["type"], "none">;

interface Token {
  readonly type: ValueType | "word" | "sign" | "end";
  readonly text: string;
}

const ORDERED: readonly Token["type"][] = ["number", "time", "date"];
/** Which values may follow. */
const VALUES: Readonly<Record<string, readonly Token["type"][]>> = {
  CONTAINS: ["text"],
  "=": ["text", ...ORDERED],
  "<": ORDERED,
  "<=": ORDERED,
  ">": ORDERED,
  ">=": ORDERED,
};
const KEYWORDS: readonly string[] = ["AND", "CONTAINS", "EXISTS"];
const VALUE_FORMS =
  "a text is in single quotes, a number has digits and may have a fraction, other values are DATE 2026-01-31 and TIME 2026-01-31T10:00:00Z";

/** Conditions joined by AND. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseEventQuery(query: string): EventCondition[] {
  return new Parser(query).conditions();
}

class Parser {
  #at = 0;
  /** Where the last token begins. */
  #from = 0;

  constructor(private readonly query: string) {
    if (query.length > QUERY_CHARACTERS_MAX) throw this.#wrong(`it is longer than ${QUERY_CHARACTERS_MAX} characters`);
  }

  conditions(): EventCondition[] {
    const conditions: EventCondition[] = [];
    for (;;) {
      conditions.push(this.#condition());
      if (conditions.length > CONDITIONS_MAX) throw this.#wrong(`it has more than ${CONDITIONS_MAX} conditions`);
      const { type, text } = this.#next("AND");
      if (type === "end") return conditions;
      if (type !== "word" || text !== "AND") throw this.#expected("AND");
    }
  }

  #condition(): EventCondition {
    const { type, text: key } = this.#next("<type.key>");
    if (type !== "word" || KEYWORDS.includes(key)) throw this.#expected("<type.key> <operator> <value>");
    const { type: sign, text: operator } = this.#next("an operator");
    if (sign === "word" && operator === "EXISTS") return { key, operator, type: "none", value: "" };
    const values = sign === "sign" || operator === "CONTAINS" ? VALUES[operator] : undefined;
    if (!values) throw this.#expected("an operator (=, <, <=, >, >=, CONTAINS, EXISTS)");
    const value = this.#next(`a value (${VALUE_FORMS})`);
    if (!values.includes(value.type))
      throw this.#expected(`a ${values.join(" or ")} after ${operator} (${VALUE_FORMS})`);
    this.#check(value);
    return { key, operator: operator as EventCondition["operator"], type: value.type as ValueType, value: value.text };
  }

  #next(what: string): Token {
    this.#from = this.#at;
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.query);
    if (!found) throw this.#expected(what);
    this.#at = TOKEN.lastIndex;
    const { number, time, date, word, single, double, sign } = found.groups ?? {};
    if (number !== undefined) return { type: "number", text: number };
    if (time !== undefined) return { type: "time", text: time };
    if (date !== undefined) return { type: "date", text: date };
    if (word !== undefined) return { type: "word", text: word };
    if (sign !== undefined) return { type: "sign", text: sign };
    const text = single ?? double?.replace(/\\([\s\S])/gu, "$1");
    return text === undefined ? { type: "end", text: "" } : { type: "text", text };
  }

  #check({ type, text }: Token): void {
    if (type === "number" && text.length > NUMBER_CHARACTERS_MAX) {
      throw this.#wrong(`a number has more than ${NUMBER_CHARACTERS_MAX} digits`);
    }
    if (type !== "time" && type !== "date") return;
    const isKnown = (type === "time" ? readEventTime(text) : readEventDate(text)) !== undefined;
    const year = Number(text.slice(0, 4));
    if (isKnown && year >= YEAR_MIN && year <= YEAR_MAX) return;
    const name = type.toUpperCase();
    throw this.#wrong(`${name} ${text.slice(0, 40)} is none of the years ${YEAR_MIN} to ${YEAR_MAX} (${VALUE_FORMS})`);
  }

  #expected(what: string): UpgradeError {
    return this.#wrong(`expected ${what} at "${this.query.slice(this.#from).trim().slice(0, 40)}"`);
  }

  #wrong(what: string): UpgradeError {
    return new UpgradeError("UPG_INVALID_ARGUMENT", `failed to parse query "${this.query.slice(0, 200)}": ${what}`);
  }
}
