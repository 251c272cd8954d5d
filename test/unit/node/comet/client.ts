/** An engine's side of an ABCI socket, as CometBFT's client: requests ahead, responses in order. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { RequestSchema, type Response, ResponseSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { FrameReader, frame } from "../../../../host/node/comet/frames.js";

export type RequestInit = NonNullable<MessageInitShape<typeof RequestSchema>["value"]>;

export class AbciClient {
  readonly #waiting: { resolve: (response: Response["value"]) => void; reject: (error: Error) => void }[] = [];
  /** Settles when the server has hung up. */
  readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    const frames = new FrameReader();
    socket.on("data", (chunk: Uint8Array) => {
      for (const message of frames.take(chunk))
        this.#waiting.shift()?.resolve(fromBinary(ResponseSchema, message).value);
    });
    socket.on("error", () => undefined);
    this.closed = once(socket, "close");
    void this.closed.then(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("the server hung up"));
    });
  }

  static async connect(address: string): Promise<AbciClient> {
    const path = /^unix:\/\/(.*)$/.exec(address)?.[1];
    const [, host = "", port = "0"] = /^tcp:\/\/(.*):(\d+)$/.exec(address) ?? [];
    const socket = path === undefined ? connect(Number(port), host) : connect(path);
    await once(socket, "connect");
    return new AbciClient(socket);
  }

  /** The next response is for what is written next. */
  next(): Promise<Response["value"]> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  write(...parts: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(parts));
  }

  call(value: RequestInit): Promise<Response["value"]> {
    const response = this.next();
    this.write(...frame(toBinary(RequestSchema, create(RequestSchema, { value }))));
    return response;
  }

  /** Of a message that need not be a request. */
  send(message: Uint8Array): Promise<Response["value"]> {
    const response = this.next();
    this.write(...frame(message));
    return response;
  }

  end(): void {
    this.socket.destroy();
  }
}
