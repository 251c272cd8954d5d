/** Changes of evidence: of its text, of single values, of bytes inside values, and of whole parts that are put elsewhere. */
import { fromBase64, fromHex, toBase64, toUpperHex } from "../../host/base/text/bytes.js";
import type { Random } from "../guest/random/random.js";

/** A place in a JSON value: the container and the member's name. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

/** A copy that differs, as a value or as a text. */
export function mutated(document: unknown, foreign: readonly unknown[], random: Random): unknown {
  if (random.once(8)) return mutatedText(JSON.stringify(document), random);
  const copy = structuredClone(document);
  for (let count = 1 + random.below(3); count > 0; count--) change(copy, random.pick(foreign), random);
  return copy;
}

function mutatedText(text: string, random: Random): string | Uint8Array {
  const bytes = Buffer.from(text);
  if (random.once(4)) return bytes.subarray(0, random.below(bytes.length)).toString();
  for (let count = 1 + random.below(4); count > 0; count--) bytes[random.below(bytes.length)] = random.below(256);
  return random.once(2) ? new Uint8Array(bytes) : bytes.toString();
}

function change(document: unknown, foreign: unknown, random: Random): void {
  const places = placesOf(document);
  if (places.length === 0) return;
  const place = random.pick(places);
  const value = place.holder[place.name];
  const way = random.below(10);
  if (way < 4 && typeof value === "string") place.holder[place.name] = mutatedString(value, random);
  else if (way < 6) place.holder[place.name] = alike(place.name, placesOf(foreign), random);
  else if (way < 7) place.holder[place.name] = random.pick(ODD)();
  else if (way < 8 && Array.isArray(place.holder)) rearrange(place.holder, Number(place.name), random);
  else if (way < 9) remove(place);
  else place.holder[place.name] = alike(place.name, places, random);
}

/** A value of a member that has the same name, in this document or another. */
function alike(name: string, places: readonly Place[], random: Random): unknown {
  const same = places.filter((place) => place.name === name);
  const { holder, name: found } = random.pick(same.length > 0 ? same : places);
  return structuredClone(holder[found]);
}

function remove({ holder, name }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
}

function rearrange(list: unknown[], at: number, random: Random): void {
  const item = list[at];
  if (random.once(2)) list.splice(random.below(list.length), 0, structuredClone(item));
  else {
    const other = random.below(list.length);
    list[at] = list[other];
    list[other] = item;
  }
}

/** What strict readers of any member must refuse, or take for nothing. */
const ODD: readonly (() => unknown)[] = [
  () => null,
  () => 0,
  () => -1,
  () => 1e300,
  () => true,
  () => "",
  () => "0",
  () => "-9223372036854775808",
  () => "18446744073709551616",
  () => "=",
  () => ({}),
  () => [],
  () => [[[[]]]],
  () => "A".repeat(100_000),
  () => new Array(50_000).fill(null),
  () => ({ length: 1e9 }),
];

/** Another text of the same kind: hex, base64 or digits, with a bit, byte or digit changed. */
function mutatedString(text: string, random: Random): string {
  if (/^-?\d+$/.test(text)) return String(BigInt(text) + BigInt(random.below(5)) - 2n);
  if (/^([0-9A-F]{2})+$/.test(text)) return toUpperHex(mutatedBytes(fromHex(text), random));
  try {
    return toBase64(mutatedBytes(fromBase64(text), random));
  } catch {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + String.fromCharCode(32 + random.below(90)) + text.slice(at + random.below(2));
  }
}

export function mutatedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length === 0 || random.once(10)) return Uint8Array.of(...bytes, random.below(256));
  if (random.once(10)) return bytes.slice(0, random.below(bytes.length));
  const copy = bytes.slice();
  const at = random.below(copy.length);
  copy[at] = random.once(2) ? (copy[at] as number) ^ (1 << random.below(8)) : random.below(256);
  return copy;
}

function placesOf(value: unknown): Place[] {
  const places: Place[] = [];
  const walk = (holder: unknown): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const name of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, name });
      walk((holder as Record<string, unknown>)[name]);
    }
  };
  walk(value);
  return places;
}
