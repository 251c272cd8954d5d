/**
 * gRPC calls at so little cost to the client that the server is what is measured: HTTP/2 frames that are prepared once, over
 * plain sockets. A library's client takes more time for a call than a server does, and hides what the server takes.
 */
import { connect, type Socket } from "node:net";
import type { LoadResult } from "./load.js";

const FRAME_HEAD_BYTES = 9;
const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;
const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;
const GREETING = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const WINDOW_BYTES = 0x7fff_ffff - 65_535;

function http2Frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(FRAME_HEAD_BYTES + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame[3] = type;
  frame[4] = flags;
  frame.writeUInt32BE(stream, 5);
  frame.set(payload, FRAME_HEAD_BYTES);
  return frame;
}

/** A header that no table holds, of at most 126 bytes each, as HPACK writes it without Huffman's code. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
}

/** One call with an empty message, for any stream: its number is written in before it is sent. */
function callFrames(path: string, authority: string): { readonly bytes: Buffer; readonly streamAt: readonly number[] } {
  const headers = http2Frame(
    FRAME.headers,
    FLAG.endHeaders,
    0,
    Buffer.concat([
      literal(":method", "POST"),
      literal(":scheme", "http"),
      literal(":path", path),
      literal(":authority", authority),
      literal("content-type", "application/grpc"),
      literal("te", "trailers"),
    ]),
  );
  const data = http2Frame(FRAME.data, FLAG.endStream, 0, Buffer.alloc(5));
  return { bytes: Buffer.concat([headers, data]), streamAt: [5, headers.length + 5] };
}

/** One connection with one call after the other. */
class Caller {
  good = 0;
  errors = 0;
  #stream = 1;
  #rest: Buffer = Buffer.alloc(0);
  /** Headers of the answer that is being read: the first and the last. */
  #isAnswered = false;
  readonly #call: ReturnType<typeof callFrames>;
  readonly #socket: Socket;
  #done: () => void = () => undefined;

  constructor(
    address: string,
    path: string,
    private readonly end: number,
  ) {
    const at = address.lastIndexOf(":");
    this.#socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)), noDelay: true });
    this.#call = callFrames(path, address);
  }

  run(): Promise<void> {
    const done = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    const socket = this.#socket;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.once("error", () => this.#broken());
    socket.once("close", () => this.#done());
    const window = Buffer.alloc(4);
    window.writeUInt32BE(WINDOW_BYTES);
    socket.write(Buffer.concat([GREETING, http2Frame(FRAME.settings, 0, 0, Buffer.alloc(0))]));
    socket.write(http2Frame(FRAME.windowUpdate, 0, 0, window));
    this.#next();
    return done;
  }

  #next(): void {
    if (performance.now() >= this.end) {
      this.#socket.destroy();
      return;
    }
    this.#isAnswered = false;
    const { bytes, streamAt } = this.#call;
    for (const at of streamAt) bytes.writeUInt32BE(this.#stream, at);
    // The socket copies what it cannot write at once; all connections of a caller have frames of their own.
    this.#socket.write(bytes);
  }

  #take(bytes: Buffer): void {
    let whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (whole.length >= FRAME_HEAD_BYTES) {
      const length = FRAME_HEAD_BYTES + whole.readUIntBE(0, 3);
      if (whole.length < length) break;
      this.#frame(whole.subarray(0, length));
      whole = whole.subarray(length);
    }
    this.#rest = whole;
  }

  #frame(frame: Buffer): void {
    const type = frame[3] as number;
    const flags = frame[4] as number;
    if (type === FRAME.settings && !(flags & FLAG.ack))
      this.#socket.write(http2Frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0)));
    if (type === FRAME.ping && !(flags & FLAG.ack)) {
      this.#socket.write(http2Frame(FRAME.ping, FLAG.ack, 0, frame.subarray(FRAME_HEAD_BYTES)));
    }
    if (type === FRAME.reset || type === FRAME.goaway) this.#broken();
    if (type === FRAME.data && frame.length > FRAME_HEAD_BYTES) this.#isAnswered = true;
    if (type === FRAME.headers && flags & FLAG.endStream) this.#ended();
  }

  /** An error has no message: its one header block ends the stream. */
  #ended(): void {
    if (this.#isAnswered) this.good++;
    else this.errors++;
    this.#stream += 2;
    this.#next();
  }

  #broken(): void {
    this.errors++;
    this.#socket.destroy();
  }
}

/** Each client keeps a connection of its own, with one call after the other. */
export async function loadGrpc(address: string, path: string, clients: number, millis: number): Promise<LoadResult> {
  const begun = performance.now();
  const callers = Array.from({ length: clients }, () => new Caller(address, path, begun + millis));
  await Promise.all(callers.map((caller) => caller.run()));
  const sum = (value: (caller: Caller) => number) => callers.reduce((all, caller) => all + value(caller), 0);
  const good = sum((caller) => caller.good);
  return {
    requests: good,
    requestsPerSecond: (good / (performance.now() - begun)) * 1_000,
    errors: sum((caller) => caller.errors),
  };
}
