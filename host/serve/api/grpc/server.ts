/** gRPC: every service of the query, reflection and health, over HTTP/2 without encryption. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { Health } from "../../../base/gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../../base/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../../../base/gen/grpc/reflection/v1alpha/reflection_pb.js";
import type { Height } from "../../../base/types/types.js";
import { filesOf } from "../../../chain/app/define-chain.js";
import type { QueryMethod } from "../../../chain/app/query/service.js";
import { ArrivingBytes } from "../../limits/arriving.js";
import { ClientLeft } from "../../limits/client-left.js";
import { type Address, type OpenServer, SERVER_LIMITS, type ServerOptions } from "../../limits/server.js";
import type { ServerLimits } from "../../limits/server-limits.js";
import { UnreadBytes } from "../../limits/unread.js";
import type { ErrorEvents } from "../../query/api-error.js";
import { CUT_HEADER, HEIGHT_HEADER, parseAskedHeight } from "../../query/query.js";
import { KeptAnswers } from "../../query/response-cache.js";
import { Connections } from "./connections.js";
import { healthHandlers } from "./health.js";
import { ReflectionIndex, reflectionHandler } from "./reflection.js";
import { type Answer, answerOf, type CallServer, refuse, StreamCall, trailersOnly } from "./stream-call.js";
import { isGrpc, STATUS } from "./wire.js";

export interface GrpcOptions extends ServerOptions {
  readonly address: Address;
  isReady(): boolean;
}

/** So many calls may be open for each one that is handled at once: most of the others have not arrived whole. */
const OPEN_PER_REQUEST = 4;
const CHECK_MILLIS = 1_000;

interface Served {
  readonly descriptor: DescMethod;
  run(call: StreamCall): void;
}

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openGrpc(options: GrpcOptions): Promise<OpenServer> {
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits };
  const { query } = options;
  const endpoint = new GrpcEndpoint(options, limits);
  for (const { methods } of query.services) for (const method of methods) endpoint.serve(method);
  const names = [...query.descriptors, Health, ServerReflection, ServerReflectionAlpha];
  const health = healthHandlers(
    names.map(({ typeName }) => typeName),
    options.isReady,
  );
  endpoint.add(`/${Health.typeName}/Check`, { descriptor: Health.method.check, run: health.check });
  endpoint.add(`/${Health.typeName}/Watch`, { descriptor: Health.method.watch, run: health.watch });
  const reflect = reflectionHandler(new ReflectionIndex(names, filesOf(query.chain, names)), limits.idleMillis);
  for (const { typeName } of [ServerReflection, ServerReflectionAlpha]) {
    // The two have the same messages: one handler and one set of types serve both.
    const descriptor = ServerReflection.method.serverReflectionInfo;
    endpoint.add(`/${typeName}/${descriptor.name}`, { descriptor, run: reflect });
  }
  const connections = new Connections((stream, headers) => endpoint.take(stream, headers), limits);
  const address = await connections.listen(options.address);
  return {
    address,
    close: async (millis) => {
      health.state.stop();
      endpoint.stop();
      await connections.close(millis);
    },
  };
}

class GrpcEndpoint implements CallServer {
  readonly #served = new Map<string, Served>();
  readonly #kept = new KeptAnswers<Answer>();
  readonly unread: UnreadBytes;
  readonly bytesMax: number;
  readonly #open = new Set<StreamCall>();
  readonly #check: NodeJS.Timeout;
  /** Calls that are being handled. */
  #underWay = 0;
  readonly #arriving: ArrivingBytes;

  constructor(
    private readonly options: GrpcOptions,
    private readonly limits: ServerLimits,
  ) {
    this.bytesMax = limits.bodyBytes;
    this.unread = options.unread ?? new UnreadBytes(limits);
    this.#arriving = options.arriving ?? new ArrivingBytes(limits);
    const millis = Math.min(CHECK_MILLIS, limits.requestMillis, limits.idleMillis);
    this.#check = setInterval(() => this.#endLate(), millis).unref();
  }

  add(path: string, served: Served): void {
    this.#served.set(path, served);
  }

  serve(method: QueryMethod): void {
    this.add(method.path, { descriptor: method.descriptor, run: (call) => this.#unary(method, call) });
  }

  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const path = String(headers[":path"]);
    const served = this.#served.get(path);
    if (headers[":method"] !== "POST") refuse(stream, { ":status": 405, allow: "POST" });
    else if (!isGrpc(headers["content-type"])) refuse(stream, { ":status": 415 });
    else if (served) this.#run(served, new StreamCall(stream, headers, served.descriptor, this));
    else {
      const text = `The server does not implement the method ${path.slice(0, 200)}`;
      refuse(stream, trailersOnly(STATUS.unimplemented, text));
    }
  }

  #run(served: Served, call: StreamCall): void {
    if (this.#open.size >= Math.max(1, this.limits.concurrency) * OPEN_PER_REQUEST) {
      call.fail(this.#busy());
      return;
    }
    this.#open.add(call);
    if (!call.begin()) return;
    call.due = performance.now() + this.limits.requestMillis;
    served.run(call);
  }

  /** Calls that have not arrived whole, and streams of them, end now. */
  stop(): void {
    clearInterval(this.#check);
    for (const call of this.#open) {
      if (call.due !== Number.POSITIVE_INFINITY) call.end(STATUS.unavailable, "the node stops");
    }
  }

  get events(): ErrorEvents {
    return this.options.events;
  }

  onDone(call: StreamCall, status: number): void {
    this.#open.delete(call);
    this.options.events.onAnswer("grpc", pathOf(call.descriptor), status, (performance.now() - call.begun) / 1_000);
  }

  hold(bytes: number): boolean {
    return this.#arriving.move(bytes);
  }

  #endLate(): void {
    const now = performance.now();
    for (const call of this.#open) {
      if (now > call.due) call.end(STATUS.deadlineExceeded, "the request did not arrive in time");
    }
  }

  #unary(method: QueryMethod, call: StreamCall): void {
    call.onRequest((request) => {
      const asked = parseAskedHeight(call.headers[HEIGHT_HEADER] as string | undefined);
      const key = method.isKept ? this.#keyOf(method, request, asked) : undefined;
      const kept = key === undefined ? undefined : this.#keptAnswer(key);
      if (kept) {
        call.answer(kept);
        return;
      }
      this.#underWay++;
      this.#answer(method, call, request, asked, key)
        .catch((error: unknown) => call.fail(error))
        .finally(() => {
          this.#underWay--;
        });
    });
  }

  /** Names a request about the last height; undefined: the answer is of another height. */
  #keyOf({ path }: QueryMethod, request: Buffer, asked: Height): string | undefined {
    if (asked !== 0n && asked !== this.options.query.lastHeight) return undefined;
    return request.length === 0 ? path : `${path} ${request.toString("latin1")}`;
  }

  #keptAnswer(key: string): Answer | undefined {
    const last = this.options.query.lastHeight;
    return last === undefined ? undefined : this.#kept.get(last, key);
  }

  #busy(): UpgradeError {
    return new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
  }

  /** @param key to keep the answer by; undefined: it is not kept */
  async #answer(
    method: QueryMethod,
    call: StreamCall,
    request: Buffer,
    asked: Height,
    key: string | undefined,
  ): Promise<void> {
    if (this.#underWay > this.limits.concurrency) throw this.#busy();
    const left = new ClientLeft();
    call.onClose(() => left.abort());
    const cut: string[] = [];
    const options = { signal: left, onCut: (what: string) => cut.push(what) };
    const { message, height } = await this.options.query.call(method, call.decode(request), asked, options);
    const more = cut[0] === undefined ? {} : { [CUT_HEADER]: cut[0] };
    const answer = answerOf(method.descriptor.output, message, { [HEIGHT_HEADER]: String(height), ...more });
    if (key !== undefined && cut.length === 0) this.#kept.put(height, key, answer, answer.frame.length);
    call.answer(answer);
  }
}

const PATHS = new WeakMap<DescMethod, string>();

/** `/package.Service/Method` */
function pathOf(descriptor: DescMethod): string {
  const known = PATHS.get(descriptor);
  if (known !== undefined) return known;
  const path = `/${descriptor.parent.typeName}/${descriptor.name}`;
  PATHS.set(descriptor, path);
  return path;
}
