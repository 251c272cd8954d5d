/** What protobuf-es reads in the bytes that the core took, in the project's own shapes. */
import { fromBinary } from "@bufbuild/protobuf";
import { PlanSchema, VersionMapSchema } from "../../host/base/gen/chain/upgrade/v1beta1/upgrade_pb.js";
import { concatBytes } from "../../host/base/text/bytes.js";
import { keepByteOrderMarks } from "../../host/base/text/text-decoding.js";
import type { Plan } from "../../host/base/types/types.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { TIME_ZERO } from "./plan-wire.js";

const CLIENT_STATE_TAG = 0x2a;

keepByteOrderMarks();

interface Part {
  readonly tag: number;
  /** Tag, length and all. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

/** The fields of well-formed bytes whose tags have one byte. */
function partsOf(bytes: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] as number;
    const [start, end] = fieldRange(bytes, at + 1, tag & 7);
    parts.push({ tag, whole: bytes.slice(at, end), content: bytes.slice(start, end) });
    at = end;
  }
  return parts;
}

/**
 * The last of each field: that one counts. protobuf-es would mix a repeated message of two and refuse a text that is
 * not UTF-8 although another one follows; the core, and the Cosmos SDK's decoder, do not.
 */
function lastOfEach(bytes: Uint8Array): Uint8Array {
  const last = new Map(partsOf(bytes).map(({ tag, whole }) => [tag, whole]));
  return concatBytes(...last.values());
}

/** What protobuf-es sees in these well-formed bytes, in our shape. Of a client state the core says only that it is there. */
export function planSeen(bytes: Uint8Array): Plan {
  const parts = partsOf(lastOfEach(bytes));
  const shown = parts.filter(({ tag }) => tag !== CLIENT_STATE_TAG);
  const { name, height, info, time } = fromBinary(PlanSchema, concatBytes(...shown.map(({ whole }) => whole)));
  const isZero = time?.seconds === TIME_ZERO.seconds && time.nanos === 0;
  return {
    name,
    height,
    info,
    ...(time && !isZero && { time: { seconds: time.seconds, nanos: time.nanos } }),
    ...(shown.length < parts.length && { upgradedClientState: { typeUrl: "", value: new Uint8Array() } }),
  };
}

export function versionsSeen(bytes: Uint8Array): (readonly [string, bigint])[] {
  const writer = new WireWriter();
  for (const { content } of partsOf(bytes)) writer.message(1, lastOfEach(content));
  return fromBinary(VersionMapSchema, writer.finish()).moduleVersions.map(({ name, version }) => [name, version]);
}

/** First and last byte after a field's tag; of bytes, after their length. */
function fieldRange(bytes: Uint8Array, at: number, type: number): [start: number, end: number] {
  let value = 0n;
  const start = at;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return type === 0 ? [start, at] : [at, at + Number(value)];
  }
}
