/** gRPC: every service of the query, reflection and health, over HTTP/2 without encryption. */
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { UpgradeError } from "../../errors.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { type Address, DOOR_LIMITS, type DoorLimits, type DoorOptions, type OpenDoor } from "../door.js";
import { cannotListen } from "../http-server.js";
import { CUT_HEADER, HEIGHT_HEADER, parseAskedHeight } from "../query/query.js";
import { filesOf } from "../query/registry.js";
import type { QueryMethod } from "../query/service.js";
import { UnreadBytes } from "../unread.js";
import { healthHandlers } from "./health.js";
import { ReflectionIndex, reflectionHandler } from "./reflection.js";
import { StreamCall } from "./stream-call.js";
import { statusMessage } from "./wire.js";

export interface GrpcOptions extends DoorOptions {
  readonly address: Address;
  isReady(): boolean;
}

const STREAMS_MAX = 1_024;
const IDLE_MILLIS = 300_000;
const PING_MILLIS = 60_000;
const PONG_MILLIS = 20_000;

interface Served {
  readonly descriptor: DescMethod;
  run(call: StreamCall): void;
}

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openGrpc(options: GrpcOptions): Promise<OpenDoor> {
  const limits: DoorLimits = { ...DOOR_LIMITS, ...options.limits };
  const { query } = options;
  const door = new GrpcDoor(options, limits);
  for (const { methods } of query.services) for (const method of methods) door.serve(method);
  const names = [...query.descriptors, Health, ServerReflection, ServerReflectionAlpha];
  const health = healthHandlers(
    names.map(({ typeName }) => typeName),
    options.isReady,
  );
  door.add(`/${Health.typeName}/Check`, { descriptor: Health.method.check, run: health.check });
  door.add(`/${Health.typeName}/Watch`, { descriptor: Health.method.watch, run: health.watch });
  const reflect = reflectionHandler(new ReflectionIndex(names, filesOf(names)));
  for (const { typeName } of [ServerReflection, ServerReflectionAlpha]) {
    // The two have the same messages: one handler and one set of types serve both.
    const descriptor = ServerReflection.method.serverReflectionInfo;
    door.add(`/${typeName}/${descriptor.name}`, { descriptor, run: reflect });
  }
  const sessions = new Sessions(door, limits.connections);
  const address = await sessions.listen(options.address);
  return {
    address,
    close: async (millis) => {
      health.state.stop();
      await sessions.close(millis);
    },
  };
}

class Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  readonly #server: Http2Server;
  readonly #ping: NodeJS.Timeout;

  constructor(door: GrpcDoor, connections: number) {
    this.#server = createServer({ settings: { maxConcurrentStreams: STREAMS_MAX, enablePush: false } });
    this.#server.maxConnections = connections;
    this.#server.on("session", (session) => {
      this.#open.add(session);
      session.once("close", () => this.#open.delete(session));
      session.on("error", () => session.destroy());
      session.setTimeout(IDLE_MILLIS, () => session.close());
    });
    this.#server.on("sessionError", () => undefined);
    this.#server.on("stream", (stream, headers) => door.take(stream, headers));
    this.#ping = setInterval(() => {
      for (const session of this.#open) pingOrDrop(session);
    }, PING_MILLIS).unref();
  }

  async listen({ host, port }: Address): Promise<Address> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) => reject(cannotListen("--grpc.address", { host, port }, cause)));
      this.#server.listen({ host, port, backlog: 1_024 }, resolve);
    });
    const bound = this.#server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  /** Calls under way have `millis`; then whatever is still open is not. */
  async close(millis: number): Promise<void> {
    clearInterval(this.#ping);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#open) session.close();
    const late = setTimeout(() => {
      for (const session of this.#open) session.destroy();
    }, millis);
    await closed;
    clearTimeout(late);
  }
}

function pingOrDrop(session: ServerHttp2Session): void {
  if (session.closed || session.destroyed) return;
  const late = setTimeout(() => session.destroy(), PONG_MILLIS).unref();
  session.ping(() => clearTimeout(late));
}

class GrpcDoor {
  readonly #served = new Map<string, Served>();
  readonly #unread: UnreadBytes;
  #underWay = 0;

  constructor(
    private readonly options: GrpcOptions,
    private readonly limits: DoorLimits,
  ) {
    this.#unread = options.unread ?? new UnreadBytes(limits);
  }

  add(path: string, served: Served): void {
    this.#served.set(path, served);
  }

  serve(method: QueryMethod): void {
    this.add(method.path, { descriptor: method.descriptor, run: (call) => this.#unary(method, call) });
  }

  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => undefined);
    const path = String(headers[":path"]);
    if (headers[":method"] !== "POST" || !headers["content-type"]?.startsWith("application/grpc")) {
      stream.respond({ ":status": 415 }, { endStream: true });
      return;
    }
    const served = this.#served.get(path);
    if (!served) {
      const text = `The server does not implement the method ${path.slice(0, 200)}`;
      const trailers = { "grpc-status": "12", "grpc-message": statusMessage(text) };
      stream.respond({ ":status": 200, "content-type": "application/grpc", ...trailers }, { endStream: true });
      return;
    }
    const { onBug } = this.options.events;
    const { descriptor } = served;
    const facts = { descriptor, bytesMax: this.limits.bodyBytes, unread: this.#unread, onBug };
    const call = new StreamCall(stream, headers, facts);
    if (call.begin()) served.run(call);
  }

  #unary(method: QueryMethod, call: StreamCall): void {
    const begun = performance.now();
    let request: Message | undefined;
    call.onMessage((message) => {
      if (request) call.end(12, "the method takes one message");
      else request = message;
    });
    call.onEnd(() => {
      if (!request) return call.end(13, "the request holds no message");
      this.#underWay++;
      return void this.#answer(method, request, call)
        .catch((error: unknown) => call.fail(error))
        .then((status) => {
          this.#underWay--;
          this.options.events.onAnswer("grpc", method.path, status, (performance.now() - begun) / 1_000);
        });
    });
  }

  async #answer(method: QueryMethod, request: Message, call: StreamCall): Promise<number> {
    if (this.#underWay > this.limits.concurrency) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
    }
    const asked = parseAskedHeight(call.headers[HEIGHT_HEADER] as string | undefined);
    const left = new AbortController();
    call.onClose(() => left.abort());
    const cut: string[] = [];
    const options = { signal: left.signal, onCut: (what: string) => cut.push(what) };
    const { message, height } = await this.options.query.call(method, request, asked, options);
    const more = cut[0] === undefined ? {} : { [CUT_HEADER]: cut[0] };
    call.answer(message, { [HEIGHT_HEADER]: String(height), ...more });
    return 0;
  }
}
