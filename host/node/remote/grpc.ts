/** Asks a node over gRPC: one request, one answer, one connection. Every wait ends, and every answer is bounded. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { ERROR_KINDS, type ErrorCode, UpgradeError } from "../../base/errors/errors.js";
import { concatBytes } from "../../base/text/bytes.js";

const ANSWER_BYTES_MAX = 64 * 1_048_576;
const TIMEOUT_MILLIS = 10_000;
/** Of an address that names none: that of TLS, and the one that Cosmos SDK nodes listen on without it. */
const PORTS = { tls: 443, insecure: 9_090 };
/** Of a message's frame: whether it is compressed, and its length. */
const HEAD_BYTES = 5;

/** Statuses of gRPC as our codes; a node of this program names its code itself. */
const BY_STATUS: ReadonlyMap<string, ErrorCode> = new Map([
  ["3", "UPG_INVALID_ARGUMENT"],
  ["4", "UPG_REMOTE_UNAVAILABLE"],
  ["5", "UPG_NOT_FOUND_RECORD"],
  ["14", "UPG_REMOTE_UNAVAILABLE"],
]);

export interface GrpcClientOptions {
  /** Without TLS. */
  readonly isInsecure: boolean;
  readonly timeoutMillis?: number;
}

export class GrpcClient {
  /** What is asked. */
  readonly url: URL;

  /** @param address `host:port`, or `host`. @throws UpgradeError UPG_INVALID_ARGUMENT */
  constructor(
    readonly address: string,
    private readonly options: GrpcClientOptions,
  ) {
    const authority = address.replace(/^[a-z]+:\/\//, "").replace(/\/$/, "");
    const port = /:[0-9]+$/.test(authority) ? "" : `:${options.isInsecure ? PORTS.insecure : PORTS.tls}`;
    const url = `${options.isInsecure ? "http" : "https"}://${authority}${port}`;
    if (!URL.canParse(url)) {
      throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${address}" is no address of a gRPC server: write host:port`);
    }
    this.url = new URL(url);
  }

  /** The answer of `/package.Service/Method`. @throws UpgradeError what the node returned, UPG_REMOTE_* */
  async unary(path: string, message: Uint8Array, height: bigint): Promise<Uint8Array> {
    const session = connect(this.url);
    try {
      return await this.#call(session, path, message, height);
    } catch (cause) {
      if (cause instanceof UpgradeError) throw cause;
      const what = (cause as Error).message;
      const hint = this.options.isInsecure
        ? "is it running?"
        : "is it running, and with TLS? --grpc-insecure is without";
      throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `cannot ask ${this.address} over gRPC: ${what}; ${hint}`, {
        cause,
      });
    } finally {
      session.destroy();
    }
  }

  #call(session: ClientHttp2Session, path: string, message: Uint8Array, height: bigint): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const { timeoutMillis = TIMEOUT_MILLIS } = this.options;
      const timer = setTimeout(() => reject(new Error("no answer in time")), timeoutMillis);
      const settle = (act: () => void) => {
        clearTimeout(timer);
        act();
      };
      const fail = (cause: Error) => settle(() => reject(cause));
      session.once("error", fail);
      const call = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...(height === 0n ? {} : { "x-cosmos-block-height": String(height) }),
      });
      call.once("error", fail);
      answerOf(call).then((bytes) => settle(() => resolve(bytes)), fail);
      call.end(frame(message));
    });
  }
}

function frame(message: Uint8Array): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  new DataView(head.buffer).setUint32(1, message.length);
  return concatBytes(head, message);
}

async function answerOf(call: ClientHttp2Stream): Promise<Uint8Array> {
  let ends: IncomingHttpHeaders = {};
  const take = (headers: IncomingHttpHeaders) => {
    ends = { ...ends, ...headers };
  };
  call.on("response", take).on("trailers", take);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of call as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > ANSWER_BYTES_MAX + HEAD_BYTES) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
  }
  if (ends["grpc-status"] !== "0") throw refused(ends);
  const bytes = Buffer.concat(parts);
  if (size < HEAD_BYTES || bytes[0] !== 0 || bytes.readUInt32BE(1) !== size - HEAD_BYTES) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", "the answer over gRPC is not one message");
  }
  return new Uint8Array(bytes.subarray(HEAD_BYTES));
}

function refused(ends: IncomingHttpHeaders): UpgradeError {
  const status = ends["grpc-status"];
  if (typeof status !== "string") {
    return new UpgradeError("UPG_REMOTE_REFUSED", `no gRPC server: HTTP status ${ends[":status"]}`);
  }
  const named = String(ends["x-error-code"] ?? "");
  const known = Object.hasOwn(ERROR_KINDS, named) ? (named as ErrorCode) : undefined;
  const message = percentDecoded(String(ends["grpc-message"] ?? ""));
  const text = message.slice(0, 2_000) || `the node returned gRPC status ${status}`;
  return new UpgradeError(known ?? BY_STATUS.get(status) ?? "UPG_REMOTE_REFUSED", text, {
    details: { grpc_status: status, ...simulationOf(ends) },
  });
}

/** What a simulated transaction failed with; nodes of other programs do not say it. */
function simulationOf({ "x-tx-codespace": codespace, "x-tx-code": code }: IncomingHttpHeaders) {
  if (typeof codespace !== "string" || typeof code !== "string") return {};
  return { tx_codespace: percentDecoded(codespace), tx_code: code };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
