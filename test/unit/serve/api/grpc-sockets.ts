/** Connections to a test node's gRPC, raw or through a client, and whether it still serves. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { CURRENT_PLAN, frame, type Http2Client, withHttp2 } from "./http2-client.js";
import type { TestNode } from "./test-node.js";

/** A request without fields. */
export const EMPTY = frame();

export async function rawSocket(node: TestNode): Promise<Socket> {
  const [host, port] = node.grpc.split(":");
  const socket = connect({ host: host ?? "", port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** The server has ended its side, or broken off. */
export const gone = (socket: Socket) =>
  new Promise<void>((resolve) =>
    socket.once("end", () => resolve(socket.destroy() && undefined)).once("close", () => resolve()),
  );

/** Of the whole call, wherever its status was. @param body undefined: nothing is sent, and the request does not end */
export async function statusOf(
  client: Http2Client,
  path: string,
  body: Buffer | readonly Buffer[] | undefined,
): Promise<unknown> {
  const { headers, trailers } = await client.call(path, body);
  return trailers["grpc-status"] ?? headers["grpc-status"];
}

/** A new connection is served. */
export const isGood = (node: TestNode) =>
  withHttp2(node, async (client) => expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0"));
