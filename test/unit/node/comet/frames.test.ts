/** Messages in the stream of a socket: whole however they arrive, and refused by their length before they take memory. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRAME_BYTES_MAX, FrameReader, frame } from "../../../../host/node/comet/frames.js";
import { failureOf } from "../../../scenario/chain.js";

const joined = (messages: readonly Uint8Array[]) => Buffer.concat(messages.flatMap(frame));

function taken(chunks: readonly Uint8Array[], bytesMax?: number): { messages: string[]; isMidway: boolean } {
  const reader = new FrameReader(bytesMax);
  const messages = chunks.flatMap((chunk) => [...reader.take(chunk)].map((each) => Buffer.from(each).toString("hex")));
  return { messages, isMidway: reader.isMidway };
}

describe("FrameReader", () => {
  test("property: any messages, cut anywhere → the same messages (seed printed on failure)", () => {
    const message = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(400)), (messages, cuts) => {
        const bytes = joined(messages);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
        const hex = messages.map((each) => Buffer.from(each).toString("hex"));
        expect(taken(chunks)).toEqual({ messages: hex, isMidway: false });
      }),
    );
  });

  test("lengths of one to three bytes → as CometBFT writes them", () => {
    const lengths = [0, 1, 127, 128, 16_383, 16_384];
    const prefixes = lengths.map((length) => Buffer.from(frame(new Uint8Array(length))[0] ?? []).toString("hex"));
    expect(prefixes).toEqual(["00", "01", "7f", "8001", "ff7f", "808001"]);
    expect(
      taken([joined(lengths.map((length) => new Uint8Array(length)))]).messages.map(({ length }) => length / 2),
    ).toEqual(lengths);
  });

  test("the preface of a gRPC client → UPG_INVALID_CONFIG that says what to set; the same bytes later → a message", () => {
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect(failureOf(() => taken([preface]))).toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("--abci socket"),
    });
    expect(taken([joined([Uint8Array.of(1)]), preface])).toEqual({ messages: ["01"], isMidway: true });
  });

  test("a message as large as the bound → taken; one byte more → UPG_INVALID_REQUEST_SIZE by its length alone", () => {
    expect(taken([joined([new Uint8Array(10)])], 10).messages.length).toBe(1);
    expect(failureOf(() => taken([Uint8Array.of(11)], 10))).toMatchObject({ code: "UPG_INVALID_REQUEST_SIZE" });
    expect(taken([Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x07)])).toEqual({ messages: [], isMidway: true });
    expect(FRAME_BYTES_MAX).toBe(0x7fff_ffff);
    expect(failureOf(() => taken([Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x08)]))).toMatchObject({
      code: "UPG_INVALID_REQUEST_SIZE",
    });
  });

  test("a length that never ends → UPG_INVALID_ARGUMENT after ten bytes, whatever its digits; nine zeros and an end → taken", () => {
    const zeros = (count: number) => new Uint8Array(count).fill(0x80);
    expect(failureOf(() => taken([zeros(10)]))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(failureOf(() => taken([zeros(9), zeros(1)]))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
    expect(taken([Buffer.concat([zeros(9), Uint8Array.of(0)])]).messages).toEqual([""]);
  });
});
