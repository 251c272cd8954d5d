/** Plans as they are in plan.json, and their bytes written apart from the core. */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { equalBytes } from "../../host/base/text/bytes.js";
import type { Any, Timestamp } from "../../host/base/types/types.js";
import { BYTES, readWire, VARINT, WireWriter } from "../../host/base/wire/wire.js";
import { encodeTime } from "../../host/chain/comet-types/wire-time.js";
import type { VectorCase } from "./harness.js";
import { hexBytes, textBytes, textOf } from "./short-forms.js";

/** A plan whose texts need not be UTF-8, nor its time in range. */
export interface VectorPlan {
  readonly name: Uint8Array;
  readonly time: Timestamp;
  readonly height: bigint;
  readonly info: Uint8Array;
  readonly upgradedClientState?: Any & {
    /** `typeUrl` as it is in the bytes. */
    readonly typeUrlBytes: Uint8Array;
  };
}

export function planOf(json: VectorCase): VectorPlan {
  const state = json["upgraded_client_state"];
  return {
    name: textBytes(json["name"]),
    time: { seconds: BigInt(json["time"].seconds), nanos: json["time"].nanos },
    height: BigInt(json["height"]),
    info: textBytes(json["info"]),
    ...(state && {
      upgradedClientState: {
        typeUrl: textOf(state.type_url),
        typeUrlBytes: textBytes(state.type_url),
        value: hexBytes(state.value),
      },
    }),
  };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT when the time is out of range */
export function planBytes(plan: VectorPlan): Uint8Array {
  const state = plan.upgradedClientState;
  const writer = new WireWriter()
    .bytes(1, plan.name)
    .message(2, encodeTime(plan.time))
    .int(3, plan.height)
    .bytes(4, plan.info);
  if (state) writer.message(5, new WireWriter().bytes(1, state.typeUrlBytes).bytes(2, state.value).finish());
  return writer.finish();
}

/** Strict UTF-8, or undefined. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface Message {
  readonly [field: number]: "varint" | "bytes" | Message;
}

const PLAN: Message = {
  1: "bytes",
  2: { 1: "varint", 2: "varint" },
  3: "varint",
  4: "bytes",
  5: { 1: "bytes", 2: "bytes" },
};

/** True for bytes with unknown fields, or with varints that are longer than they need be or than 64 bits. */
export function isLooseWire(bytes: Uint8Array): boolean {
  const strict = strictWire(bytes);
  return strict === undefined || !equalBytes(strict, bytes);
}

/** The known fields in their shortest form, in the order given; undefined when the bytes cannot be read. */
export function strictWire(bytes: Uint8Array, message = PLAN): Uint8Array | undefined {
  const writer = new WireWriter();
  try {
    for (const { field, type, value, bytes: part } of readWire(bytes)) {
      const kind = message[field];
      if (kind === "varint" && type === VARINT) writer.tag(field, VARINT).varint(value);
      else if (kind !== undefined && type === BYTES) {
        const content = typeof kind === "object" ? strictWire(part, kind) : part;
        if (content === undefined) return undefined;
        writer.message(field, content);
      }
    }
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
  return writer.finish();
}
