/** Plans as protobuf bytes, written apart from the core; a field that is left out is not written. */
import { utf8 } from "../../host/base/text/bytes.js";
import { WireWriter } from "../../host/base/wire/wire.js";

export interface WirePlan {
  readonly name?: string | Uint8Array;
  readonly time?: { readonly seconds: bigint; readonly nanos: number };
  readonly height?: bigint;
  readonly info?: string | Uint8Array;
  readonly clientState?: Uint8Array;
}

export const TIME_ZERO = { seconds: -62_135_596_800n, nanos: 0 };
const FIELDS = ["name", "time", "height", "info", "clientState"] as const;
type Field = (typeof FIELDS)[number];

/** The plan's fields in this order. */
export function wirePlan(plan: WirePlan, order: readonly Field[] = FIELDS): Uint8Array {
  const writer = new WireWriter();
  for (const field of order) writeField(writer, plan, field);
  return writer.finish();
}

function writeField(writer: WireWriter, plan: WirePlan, field: Field): void {
  const { name, time, height, info, clientState } = plan;
  if (field === "name" && name !== undefined) writer.message(1, bytesOf(name));
  if (field === "time" && time !== undefined) {
    writer.message(2, new WireWriter().int(1, time.seconds).int(2, time.nanos).finish());
  }
  if (field === "height" && height !== undefined) writer.int(3, height);
  if (field === "info" && info !== undefined) writer.message(4, bytesOf(info));
  if (field === "clientState" && clientState !== undefined) writer.message(5, clientState);
}

/** As the Cosmos SDK writes it and the core stores it: fields in order, defaults left out, time always there. */
export function canonicalPlan(name: string, height: bigint, info = ""): Uint8Array {
  return wirePlan({
    ...(name !== "" && { name }),
    time: TIME_ZERO,
    ...(height !== 0n && { height }),
    ...(info !== "" && { info }),
  });
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? utf8(text) : text;
}
