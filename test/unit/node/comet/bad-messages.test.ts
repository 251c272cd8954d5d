import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RequestSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import type { AbciClient } from "./client.js";

import { COMMIT, echo, finalize, folder, INFO, NONE, serve } from "./served.js";

/** Deterministic, so that a failure comes again. */
function* randomBytes(seed: string): Generator<Uint8Array, never> {
  for (let at = 0; ; at++) yield sha256(new TextEncoder().encode(`${seed} ${at}`));
}

/** Requests by which a connection becomes one of its kind. */
const FIRST = {
  query: INFO,
  snapshot: { case: "listSnapshots" as const, value: {} },
  mempool: { case: "checkTx" as const, value: { tx: NONE } },
  consensus: finalize(1n),
};

/** What is no request: random bytes, a good one cut off, unknown numbers, fields of a wrong type. */
function* badMessages(seed: string): Generator<Uint8Array, never> {
  const good = toBinary(RequestSchema, create(RequestSchema, { value: finalize(1n) }));
  const random = randomBytes(seed);
  for (;;) {
    const bytes = random.next().value;
    const [a = 0, b = 0, c = 0] = bytes;
    // Wire type 7 does not exist, 0 to 2 as first byte is no field.
    yield Uint8Array.of((a & 0xf8) | 7, ...bytes.subarray(0, b % 32));
    yield good.subarray(0, 1 + (c % (good.length - 1)));
    // Numbers that are reserved or beyond: 4, 7, 9, 10, 21 and more.
    yield Uint8Array.of(([4, 7, 9, 10][a % 4] ?? 4) * 8 + 2, 0);
    yield Uint8Array.of(0xaa + (a % 5) * 8, 1, 0);
    yield NONE;
  }
}

describe("what is no request", () => {
  for (const [kind, first] of Object.entries(FIRST)) {
    test(`10,000 bad messages on the ${kind} connection → an exception each; it and the other three go on`, async () => {
      const { client, server, failures } = await serve(`unix://${join(folder, `${kind}.sock`)}`);
      const clients = new Map<string, AbciClient>();
      for (const [name, call] of Object.entries(FIRST)) {
        const one = await client();
        clients.set(name, one);
        await one.call(call);
      }
      expect(server.kinds.sort()).toEqual(Object.keys(FIRST).sort());
      const target = clients.get(kind) as AbciClient;
      const bad = badMessages(kind);
      for (let sent = 0; sent < 10_000; sent += 500) {
        const responses = Array.from({ length: 500 }, () => target.send(bad.next().value));
        for (const { case: name } of await Promise.all(responses)) expect(name).toBe("exception");
        for (const one of clients.values())
          expect(await one.call(echo("here"))).toMatchObject({ value: { message: "here" } });
      }
      expect(failures).toEqual([]);
      expect(await target.call(first)).toMatchObject({ case: first.case });
      expect(await (clients.get("consensus") as AbciClient).call(finalize(1n))).toMatchObject({
        case: "finalizeBlock",
      });
      expect(await (clients.get("consensus") as AbciClient).call(COMMIT)).toMatchObject({ case: "commit" });
    });
  }

  test("a length beyond the bound, or one that never ends → an exception and the end of that connection alone", async () => {
    const { client } = await serve(undefined, { frameBytesMax: 1_000 });
    const other = await client();
    for (const bytes of [Uint8Array.of(0xe9, 0x07), new Uint8Array(10).fill(0x80), new Uint8Array(50).fill(0xff)]) {
      const one = await client();
      const response = one.next();
      one.write(bytes);
      expect(await response).toMatchObject({ case: "exception" });
      await one.closed;
    }
    expect(await other.call(echo("here"))).toMatchObject({ case: "echo" });
  });

  test("requests before a wrong length → their responses come first", async () => {
    const { client } = await serve();
    const one = await client();
    const [first, second] = [one.call(echo("first")), one.next()];
    one.write(new Uint8Array(10).fill(0x80));
    expect(await first).toMatchObject({ case: "echo" });
    expect(await second).toMatchObject({ case: "exception" });
  });

  test("a connection that ends in the middle of a message, at any byte → it alone is gone", async () => {
    const { client, server } = await serve();
    const other = await client();
    for (let bytes = 1; bytes < 12; bytes++) {
      const one = await client();
      one.write(Uint8Array.of(40, ...new Uint8Array(bytes)).subarray(0, bytes));
      one.socket.end();
      await one.closed;
    }
    expect(await other.call(echo("here"))).toMatchObject({ case: "echo" });
    expect(server.kinds).toEqual([]);
  });
});
