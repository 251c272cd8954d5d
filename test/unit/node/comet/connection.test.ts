/** One connection on a real socket: what a slow reader gets, and what stays of it. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { RequestSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { AbciConnection, type ConnectionOptions } from "../../../../host/node/comet/connection.js";
import { FrameReader, frame } from "../../../../host/node/comet/frames.js";
import { echo, folder } from "./served.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Pair {
  readonly engine: Socket;
  readonly socket: Socket;
  readonly connection: AbciConnection;
}

let sockets = 0;

async function connected(answer: ConnectionOptions["answer"]): Promise<Pair> {
  const path = join(folder, `connection-${sockets++}.sock`);
  const server = createServer({ allowHalfOpen: true });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const engine = connect({ path, allowHalfOpen: true });
  const [socket] = (await once(server, "connection")) as [Socket];
  return { engine, socket, connection: new AbciConnection(socket, { program: "chaind", answer }) };
}

const REQUEST = Buffer.concat(frame(toBinary(RequestSchema, create(RequestSchema, { value: echo("") }))));
const large = (bytes: number) => async () => echo("x".repeat(bytes));

async function responses(engine: Socket, count: number): Promise<void> {
  const frames = new FrameReader();
  let taken = 0;
  for await (const chunk of engine.iterator({ destroyOnReturn: false })) {
    taken += [...frames.take(chunk as Uint8Array)].length;
    if (taken === count) return;
  }
  throw new Error(`only ${taken} of ${count} responses came`);
}

describe("AbciConnection", () => {
  test("50 responses, each more than the socket takes at once → no listener stays for each", async () => {
    const { engine, socket } = await connected(large(1_000_000));
    engine.write(REQUEST);
    await responses(engine, 1);
    const before = socket.listenerCount("close");
    for (let each = 0; each < 50; each++) {
      engine.write(REQUEST);
      await responses(engine, 1);
    }
    expect(socket.listenerCount("close")).toBe(before);
    engine.destroy();
  });

  test("an engine that ends its side and reads late → it gets every response", async () => {
    // The last ones are more than the system takes of a socket that nobody reads.
    for (let count = 5; count <= 12; count++) {
      const { engine, connection } = await connected(large(30_000));
      engine.end(Buffer.concat(Array.from({ length: count }, () => REQUEST)));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await responses(engine, count);
      engine.destroy();
      await connection.closed;
    }
  });
});
