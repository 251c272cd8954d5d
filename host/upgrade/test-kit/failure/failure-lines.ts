/** A failure in lines for people. */
import { fromHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import { type MemoryUse, mebibytes, memoryText } from "../../handler/run/full-memory.js";
import type { Failure } from "./explain.js";
import type { GuestFrame } from "./guest-stack.js";
import type { SourcePlace } from "./handler-map.js";

/** Innermost frames that are shown, and outermost ones: recursion has thousands between. */
const [FIRST_FRAMES, LAST_FRAMES] = [8, 4];
const KIT = /^~lib\//;

/**
 * Why a handler failed, in lines for people: the place, the pair in hand, memory that is full, and the functions that were running.
 *
 * @example
 * console.log(failureLines({ phase: "handler_run", pair: undefined, frames: [], outOfMemory: undefined })); // → [ 'in handler_run' ]
 */
export function failureLines({ phase, pair, frames, outOfMemory }: Failure): string[] {
  const at = pair ? `, at pair ${pair.number}${pair.isBatch ? " or after it" : ""}, key ${keyText(pair.key)}` : "";
  const memory = outOfMemory ? [memoryLine(outOfMemory)] : [];
  return [`in ${visible(phase)}${at}`, ...memory, ...frameLines(frames)];
}

/** What was asked for last did not fit into what was left: where that is most of the limit, one request was too large. */
function memoryLine(use: MemoryUse): string {
  const { bytes, limit } = use;
  const left = limit - bytes;
  if (left > bytes) {
    const asked = `out of memory: more than ${mebibytes(left)} asked for at once, with ${mebibytes(bytes)} in use, of at most ${mebibytes(limit)}`;
    return `${asked}; ask for less at a time, and take long data in pieces`;
  }
  return `${memoryText(use)}; what a handler makes stays until its end: make it once, and use it for every pair`;
}

/** Hex, and what of it is ASCII. */
export function keyText(hex: string): string {
  const isCut = hex.endsWith("…");
  const bytes = fromHex(isCut ? hex.slice(0, -1) : hex);
  const text = [...bytes].map((byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
  return `0x${hex}${/[^.]/.test(text) ? ` (${text}${isCut ? "…" : ""})` : ""}`;
}

function frameLines(frames: readonly GuestFrame[]): string[] {
  const left = frames.length - FIRST_FRAMES - LAST_FRAMES;
  if (left <= 0) return frames.map(frameLine);
  const [first, last] = [frames.slice(0, FIRST_FRAMES), frames.slice(-LAST_FRAMES)];
  return [...first.map(frameLine), `  … ${left} more`, ...last.map(frameLine)];
}

function frameLine({ function: name, place }: GuestFrame): string {
  const near = place?.near ? `, near ${placeText(place.near)}` : "";
  const where = place ? ` (${placeText(place)}${near})` : "";
  return `  at ${visible(shortName(name))}${visible(where)}`;
}

const placeText = ({ source, line, column }: SourcePlace) => `${source.replace(KIT, "")}:${line}:${column}`;

/** AssemblyScript puts the file before a function's name, which the place says too. */
export function shortName(name: string): string {
  return /^(?:~lib\/|assembly\/)/.test(name) ? name.slice(name.lastIndexOf("/") + 1) : name;
}
