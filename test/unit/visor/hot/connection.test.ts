/** One connection through the relay, with a scripted peer on either side of real sockets. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { RequestSchema, ResponseSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { FrameReader, frame } from "../../../../host/node/comet/frames.js";
import { type ConnectionListener, RelayedConnection } from "../../../../host/visor/hot/connection.js";
import { until } from "./until.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-relay-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});
let pairs = 0;

async function pair(): Promise<[Socket, Socket]> {
  const path = join(folder, `${pairs++}.sock`);
  const server = createServer().listen(path);
  servers.push(server);
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const near = connect(path);
  const [far] = await accepted;
  for (const socket of [near, far]) sockets.push(socket.on("error", () => undefined));
  return [near, far];
}

/** A peer that writes what it is made to, and keeps the messages that it reads. */
class Peer {
  readonly read: Uint8Array[] = [];

  constructor(readonly socket: Socket) {
    const frames = new FrameReader();
    socket.on("data", (chunk: Uint8Array) => {
      this.read.push(...frames.take(chunk));
    });
  }

  write(...messages: readonly Uint8Array[]): void {
    for (const message of messages) for (const part of frame(message)) this.socket.write(part);
  }

  async has(count: number): Promise<string[]> {
    await until(() => this.read.length >= count);
    return this.read.map((message) => Buffer.from(message).toString("latin1"));
  }
}

const echo = (message: string) =>
  toBinary(RequestSchema, create(RequestSchema, { value: { case: "echo", value: { message } } }));
const echoed = (message: string) =>
  toBinary(ResponseSchema, create(ResponseSchema, { value: { case: "echo", value: { message } } }));
const text = (message: Uint8Array) => Buffer.from(message).toString("latin1");

async function relayed(listener: Partial<ConnectionListener> = {}) {
  const [near, far] = await pair();
  const lost: string[] = [];
  const nothing = () => undefined;
  const connection = new RelayedConnection(far, {
    ...{ onRequest: nothing, onResponse: nothing, onReplayed: nothing, onRefused: nothing, onException: nothing },
    onLost: (reason) => lost.push(reason),
    ...listener,
  });
  const attach = async () => {
    const [own, worker] = await pair();
    connection.attach(own);
    return new Peer(worker);
  };
  return { engine: new Peer(near), connection, attach, lost };
}

describe("RelayedConnection", () => {
  test("requests before there is a worker, cut at every byte → all come to it in order, and responses back", async () => {
    const { engine, attach } = await relayed();
    const all = ["a", "b", "c"].map((each) => Buffer.concat(frame(echo(each))));
    for (const byte of Buffer.concat(all)) engine.socket.write(Uint8Array.of(byte));
    const worker = await attach();
    expect(await worker.has(3)).toEqual(["a", "b", "c"].map((each) => text(echo(each))));
    for (const byte of Buffer.concat(["a", "b", "c"].flatMap((each) => frame(echoed(each)))))
      worker.socket.write(Uint8Array.of(byte));
    expect(await engine.has(3)).toEqual(["a", "b", "c"].map((each) => text(echoed(each))));
  });

  test("the worker hangs up in the middle of a response → the request is given to the next one, the half is dropped", async () => {
    const { engine, attach, lost } = await relayed();
    const first = await attach();
    engine.write(echo("a"), echo("b"));
    await first.has(2);
    first.write(echoed("a"));
    first.socket.end(Buffer.concat(frame(echoed("b"))).subarray(0, 3));
    await until(() => lost.length > 0);
    const second = await attach();
    expect(await second.has(1)).toEqual([text(echo("b"))]);
    second.write(echoed("b"));
    expect(await engine.has(2)).toEqual([text(echoed("a")), text(echoed("b"))]);
  });

  test.each([
    [
      "a response of another kind",
      toBinary(ResponseSchema, create(ResponseSchema, { value: { case: "commit", value: {} } })),
    ],
    ["bytes that are no response", Uint8Array.of(0xff, 0xff, 0xff)],
    ["an empty message", new Uint8Array(0)],
  ])("%s → the worker is lost, nothing comes to CometBFT", async (_, response) => {
    const { engine, attach, lost } = await relayed();
    const worker = await attach();
    engine.write(echo("a"));
    await worker.has(1);
    worker.write(response);
    await until(() => lost.length > 0);
    expect(engine.read).toEqual([]);
  });

  test("a response that nobody asked for, a length that is too large → lost", async () => {
    for (const bytes of [Buffer.concat(frame(echoed("a"))), Buffer.alloc(11, 0xff)]) {
      const { engine, attach, lost } = await relayed();
      (await attach()).socket.write(bytes);
      await until(() => lost.length > 0);
      expect(engine.read).toEqual([]);
    }
  });

  test("an exception → it is the listener's, and CometBFT's request waits", async () => {
    let asked: unknown;
    const { engine, attach, connection } = await relayed({
      onException: (_, request) => {
        asked = request?.number;
      },
    });
    const worker = await attach();
    engine.write(echo("a"));
    await worker.has(1);
    worker.write(
      toBinary(ResponseSchema, create(ResponseSchema, { value: { case: "exception", value: { error: "no" } } })),
    );
    await until(() => asked === 1);
    expect(engine.read).toEqual([]);
    expect(connection.queue).toHaveLength(1);
  });

  test("a worker that does not read, requests without end → CometBFT is not read after some, all arrive later", async () => {
    const { engine, attach, connection } = await relayed();
    const count = 3_000;
    for (let written = 0; written < count; written++) engine.write(echo("x".repeat(1_000)));
    await until(() => connection.queue.length >= 1_024);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connection.queue.length).toBeLessThan(1_200);
    const worker = await attach();
    for (let at = 0; at < count; at++) {
      await until(() => worker.read.length > at);
      worker.write(echoed("a"));
    }
    await engine.has(count);
    expect(connection.queue).toEqual([]);
  });

  test("CometBFT that hangs up → the worker's connection is closed", async () => {
    const { engine, attach, connection } = await relayed();
    const worker = await attach();
    const closed = once(worker.socket, "close");
    engine.socket.end();
    await connection.closed;
    await closed;
  });
});
