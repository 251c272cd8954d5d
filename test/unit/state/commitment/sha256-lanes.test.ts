import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { DigestQueue } from "../../../../host/state/commitment/digest-queue.js";
import {
  LANES_BYTES_MAX,
  LANES_MESSAGES_MAX,
  openSha256Lanes,
} from "../../../../host/state/commitment/sha256-lanes.js";
import { sha256 } from "./support.js";

const filled = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 17 + (i >> 3)) & 255);

function lanesOf(messages: readonly Uint8Array[]): string[] {
  const lanes = openSha256Lanes();
  if (!lanes) throw new Error("this engine has no Wasm with SIMD");
  let at = 0;
  messages.forEach((message, i) => {
    lanes.bytes.set(message, at);
    lanes.lengths[i] = message.length;
    at += message.length;
  });
  lanes.hash(messages.length);
  return messages.map((_, i) => toHex(lanes.digests.slice(32 * i, 32 * i + 32)));
}

const expectedOf = (messages: readonly Uint8Array[]) =>
  messages.map((message) => toHex(new Uint8Array(sha256(message))));

describe("openSha256Lanes()", () => {
  test("every length from 0 to 300, alone and together → the digests of the platform", () => {
    const messages = Array.from({ length: 301 }, (_, length) => filled(length, length));
    expect(lanesOf(messages)).toEqual(expectedOf(messages));
    for (const message of messages) expect(lanesOf([message])).toEqual(expectedOf([message]));
  });

  test("FIPS 180-4's own examples", () => {
    const texts = ["abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", ""];
    expect(lanesOf(texts.map((text) => new TextEncoder().encode(text)))).toEqual([
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]);
  });

  test("as many messages and bytes as fit → the digests of the platform", () => {
    const messages = Array.from({ length: LANES_MESSAGES_MAX }, (_, i) =>
      filled(LANES_BYTES_MAX / LANES_MESSAGES_MAX, i),
    );
    expect(lanesOf(messages)).toEqual(expectedOf(messages));
    expect(lanesOf([filled(LANES_BYTES_MAX, 1)])).toEqual(expectedOf([filled(LANES_BYTES_MAX, 1)]));
  });

  test("any messages, one call after the other → the digests of the platform (property)", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 40 });
    fc.assert(
      fc.property(messages, (list) => {
        expect(lanesOf(list)).toEqual(expectedOf(list));
      }),
      { numRuns: 200 },
    );
  });
});

describe("DigestQueue", () => {
  test("any messages, few or many, short or long → each digest where it belongs (property)", () => {
    const length = fc.oneof({ weight: 8, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(1_100) });
    const queue = new DigestQueue(sha256);
    fc.assert(
      fc.property(fc.array(length, { maxLength: 1_500 }), (lengths) => {
        const out = new Uint8Array(lengths.length * 40);
        lengths.forEach((each, i) => {
          const message = filled(each, i);
          if (queue.takes(each)) queue.bytes.set(message, queue.add(each, out, i * 40 + 4));
          else queue.digestNow(message, out, i * 40 + 4);
        });
        queue.settle();
        lengths.forEach((each, i) => {
          const digest = toHex(new Uint8Array(sha256(filled(each, i))));
          expect(toHex(out.slice(i * 40, i * 40 + 40))).toBe(`00000000${digest}00000000`);
        });
      }),
      { numRuns: 40, examples: [[Array.from({ length: 1_025 }, () => 1_024)], [[]], [[5]], [[5, 6]]] },
    );
  });
});
