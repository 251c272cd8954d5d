/** Events that modules emit: checked, and counted before they are kept. */

import { UpgradeError } from "../../base/errors/errors.js";
import { moduleFunction } from "../../base/errors/synchronous.js";
import { utf8 } from "../../base/text/bytes.js";
import { cutText, isWellFormed } from "../../base/text/text.js";
import { BLOCK_EVENT_BYTES_MAX } from "../../base/types/limits.js";

export interface EventAttribute {
  readonly key: string;
  readonly value: string;
}

export interface ChainEvent {
  readonly type: string;
  readonly attributes: readonly EventAttribute[];
}

/** Emits one event. @throws UpgradeError UPG_INVALID_ARGUMENT for what is no text; when there are too many bytes of events */
export type Emit = (type: string, ...attributes: readonly (readonly [key: string, value: string])[]) => void;

/** Counts the bytes of events, before they are kept. */
export interface EventCounter {
  /** @throws UpgradeError when they are too many: the event is not kept */
  countEvent(bytes: number): void;
  /** Returns the counter of a run whose events are emitted again when the run is kept. */
  nestedEvents(): EventCounter;
}

/** Every event and every attribute counts this besides its text, so that empty ones are bounded too. */
const AROUND_BYTES = 8;
/** What a run inside a begin or end blocker leaves for the events around it. */
const NESTED_BYTES_FREE = 1_048_576;
/** Of an event's name in a message. */
const SHOWN_BYTES_MAX = 100;

/** The events of begin and end blockers in one block. */
export class BlockEventCounter implements EventCounter {
  #bytes: number;

  constructor(
    private readonly bytesMax = BLOCK_EVENT_BYTES_MAX,
    bytes = 0,
  ) {
    this.#bytes = bytes;
  }

  countEvent(bytes: number): void {
    if (this.#bytes + bytes > this.bytesMax) {
      throw new UpgradeError(
        "UPG_INVALID_ARGUMENT",
        `the events of a block's hooks have at most ${this.bytesMax} bytes, and this one would make it ${this.#bytes + bytes}: emit fewer`,
      );
    }
    this.#bytes += bytes;
  }

  /** Leaves room for the events of code that catches such a run's failure, as governance does with a proposal's messages. */
  nestedEvents(): BlockEventCounter {
    return new BlockEventCounter(this.bytesMax - NESTED_BYTES_FREE, this.#bytes);
  }
}

/** For events that nobody keeps. */
export const UNCOUNTED: EventCounter = Object.freeze({ countEvent: () => undefined, nestedEvents: () => UNCOUNTED });

/** @param events the list to which events that the counter lets pass are added; undefined: they are dropped */
export function emitter(events: ChainEvent[] | undefined, counter: EventCounter): Emit {
  return (type, ...given) => {
    const shown = () => `event ${JSON.stringify(cutText(type, SHOWN_BYTES_MAX))}`;
    let bytes = AROUND_BYTES + textBytes(type, () => "the type of an event");
    const attributes = given.map((pair: unknown, index) => {
      if (!Array.isArray(pair) || pair.length !== 2) {
        throw refused(`attribute ${index} of ${shown()} is no pair of a key and a value: write ["key", "value"]`);
      }
      const [key, value]: unknown[] = pair;
      bytes += AROUND_BYTES + textBytes(key, () => `the key of attribute ${index} of ${shown()}`);
      const name = () => JSON.stringify(cutText(key as string, SHOWN_BYTES_MAX));
      bytes += textBytes(value, () => `the value of attribute ${name()} of ${shown()}`);
      return { key, value } as EventAttribute;
    });
    counter.countEvent(bytes);
    events?.push({ type, attributes });
  };
}

/** @returns how many bytes the text has as UTF-8 @throws UpgradeError UPG_INVALID_ARGUMENT */
function textBytes(text: unknown, what: () => string): number {
  if (typeof text !== "string")
    throw refused(`${what()} is ${shownValue(text)}, and events hold text: write String(…)`);
  if (!isWellFormed(text)) throw refused(`${what()} holds half of a surrogate pair, which UTF-8 cannot write`);
  // Too long in any case: not worth a copy.
  return text.length > BLOCK_EVENT_BYTES_MAX ? text.length : utf8(text).length;
}

function shownValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  const type = typeof value;
  if (type === "number" || type === "bigint" || type === "boolean") return `the ${type} ${value}`;
  return `${type === "object" ? "an" : "a"} ${type}`;
}

function refused(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `${moduleFunction() ?? "a change"} called emit(): ${what}`);
}
