/**
 * Messages as the Cosmos SDK writes them again: its types have no unset time and no unset plan, so what a sender left out is
 * there with its zero value. Fields of that kind are marked `amino.dont_omitempty`; the zero of a time is year 1.
 */
import { create, type DescMessage, fromBinary, getOption, type Message, toBinary } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { dont_omitempty } from "../../base/gen/amino/amino_pb.js";
import { ZERO_TIME } from "../../base/time/time.js";
import type { Resolve } from "./strict.js";

/** What is packed in a packed message is filled too; more than this deep it stays as it is. */
const DEPTH_MAX = 16;

/** Of a type that `resolve` does not know: the same message. */
export function withZeroValues(any: Any, resolve: Resolve, depth = 0): Any {
  const desc = depth < DEPTH_MAX ? resolve(any.typeUrl) : undefined;
  if (!desc) return any;
  const message = fromBinary(desc, any.value);
  fill(reflect(desc, message), resolve, depth);
  return create(AnySchema, { typeUrl: any.typeUrl, value: toBinary(desc, message) });
}

function fill(message: ReflectMessage, resolve: Resolve, depth: number): void {
  for (const field of message.fields) {
    if (field.fieldKind !== "message") continue;
    if (!message.isSet(field) && !getOption(field, dont_omitempty)) continue;
    const isPacked = field.message.typeName === AnySchema.typeName;
    const value = message.isSet(field) ? message.get(field).message : zeroOf(field.message);
    const filled = isPacked ? withZeroValues(value as Any, resolve, depth + 1) : value;
    const inner = reflect(field.message, filled);
    if (!isPacked) fill(inner, resolve, depth);
    message.set(field, inner);
  }
}

function zeroOf(desc: DescMessage): Message {
  const zero = create(desc);
  return desc.typeName === TimestampSchema.typeName ? Object.assign(zero as Timestamp, ZERO_TIME) : zero;
}
