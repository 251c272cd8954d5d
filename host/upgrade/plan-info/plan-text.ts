/**
 * A plan as people and machines read it: the JSON of REST and gRPC gateways, the JSON of the command line, protobuf's
 * compact text. Each is, character for character, the Cosmos SDK's text of the same plan.
 */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { encodeText } from "../../base/text/text.js";
import { formatTime, ZERO_TIME } from "../../base/time/time.js";
import type { Any, Plan, Timestamp } from "../../base/types/types.js";
import { goJsonText } from "./go-json-text.js";

/** A plan whose texts may be bytes that are not UTF-8: those print U+FFFD for each wrong byte. */
export interface PrintablePlan extends Omit<Plan, "name" | "info"> {
  readonly name: string | Uint8Array;
  readonly info: string | Uint8Array;
}

/** The JSON of a message that is known by its type URL. @throws UpgradeError when it is not known */
export type AnyJson = (any: Any) => string;

/**
 * The object at `plan` in a REST response: every field is present, the height is a string.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the time is outside years 1 to 9999, or a client state is set (it needs
 * the registry of another module)
 */
export function planProtoJson(plan: PrintablePlan): string {
  if (plan.upgradedClientState) throw unknownType(`unable to resolve type URL ${plan.upgradedClientState.typeUrl}`);
  return jsonObject([
    ["name", goJsonText(plan.name)],
    ["time", `"${protoTimeText(plan.time ?? ZERO_TIME)}"`],
    ["height", `"${plan.height}"`],
    ["info", goJsonText(plan.info)],
    ["upgraded_client_state", "null"],
  ]);
}

/**
 * The object at `plan` in what `query upgrade plan -o json` prints: empty fields are left out.
 *
 * @param anyJson prints a set client state; without it none is known
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the time is outside years 1 to 9999, or the client state's type is unknown
 *
 * @internal held to the Cosmos SDK's vectors; no command prints it yet
 */
export function planCliJson(plan: PrintablePlan, anyJson: AnyJson = refuseAny): string {
  const { name, time = ZERO_TIME, height, info, upgradedClientState: state } = plan;
  return jsonObject([
    ["name", name.length > 0 && goJsonText(name)],
    ["time", `"${formatTime(time)}"`],
    ["height", height !== 0n && `"${height}"`],
    ["info", info.length > 0 && goJsonText(info)],
    ["upgraded_client_state", state !== undefined && anyJson(state)],
  ]);
}

/**
 * `height: 10`
 *
 * @internal held to the Cosmos SDK's vectors; no command prints it yet
 */
export function planDueAt(plan: Pick<Plan, "height">): string {
  return `height: ${plan.height}`;
}

/**
 * Protobuf's compact text, with a space at its end: `name:"v2" time:<seconds:-62135596800 > height:10 `. A time outside
 * years 1 to 9999 ends the text after `time:`.
 *
 * @internal held to the Cosmos SDK's vectors; no command prints it yet
 */
export function planText(plan: PrintablePlan): string {
  const { name, time = ZERO_TIME, height, info, upgradedClientState: state } = plan;
  const head = `${field("name", name)}time:`;
  if (!isInRange(time)) return head;
  const seconds = time.seconds === 0n ? "" : `seconds:${time.seconds} `;
  const nanos = time.nanos === 0 ? "" : `nanos:${time.nanos} `;
  const any = state && `upgraded_client_state:<${field("type_url", state.typeUrl)}${field("value", state.value)}> `;
  return `${head}<${seconds}${nanos}> ${height === 0n ? "" : `height:${height} `}${field("info", info)}${any ?? ""}`;
}

/** RFC 3339 in UTC as protobuf's JSON has it: none, three, six or nine digits of a second. */
export function protoTimeText(time: Timestamp): string {
  return formatTime(time).replace(
    /\.(\d+)Z$/,
    (_, digits: string) => `.${digits.padEnd(Math.ceil(digits.length / 3) * 3, "0")}Z`,
  );
}

function jsonObject(members: readonly (readonly [name: string, json: string | false])[]): string {
  const present = members.filter(([, json]) => json !== false);
  return `{${present.map(([name, json]) => `"${name}":${json}`).join(",")}}`;
}

/** A text or bytes field of the compact text, nothing when empty. Bytes outside printable ASCII are octal. */
function field(name: string, value: string | Uint8Array): string {
  if (value.length === 0) return "";
  let quoted = "";
  for (const byte of typeof value === "string" ? encodeText(value) : value) quoted += quotedByte(byte);
  return `${name}:"${quoted}" `;
}

function quotedByte(byte: number): string {
  if (byte === 0x0a) return "\\n";
  if (byte === 0x0d) return "\\r";
  if (byte === 0x09) return "\\t";
  if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  return `\\${byte.toString(8).padStart(3, "0")}`;
}

function isInRange(time: Timestamp): boolean {
  try {
    formatTime(time);
    return true;
  } catch (error) {
    if (isUpgradeError(error)) return false;
    throw error;
  }
}

function refuseAny(any: Any): never {
  throw unknownType(`can't resolve type URL ${any.typeUrl}: proto: not found`);
}

function unknownType(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message);
}
