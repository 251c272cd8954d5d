/** Asks a node, and says what it says as one text: status, headers that are promised, body. */
import { type DescMessage, fromJson, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { GrpcRequest, RestRequest } from "./requests.js";

export interface Servers {
  /** `http://host:port` */
  readonly rest: string;
  readonly rpc: string;
  /** `host:port` */
  readonly grpc: string;
}

const HEADERS = ["x-cosmos-block-height", "grpc-metadata-x-cosmos-block-height", "x-error-code", "content-type"];

export async function askRest({ rest }: Servers, { verb, path, body, at }: RestRequest): Promise<string> {
  const headers = { ...(at === undefined ? {} : { "x-cosmos-block-height": at }), "content-type": "application/json" };
  const answer = await fetch(`${rest}${path}`, { method: verb, headers, ...(body === undefined ? {} : { body }) });
  const shown = HEADERS.map((name) => `${name}: ${answer.headers.get(name)}`);
  return [answer.status, ...shown, await answer.text()].join("\n");
}

export async function askRpc({ rpc }: Servers, path: string): Promise<string> {
  return (await fetch(`${rpc}/${path}`)).text();
}

/** Bytes of the response, or the error. */
export function askGrpc(client: Client, { path, input, json, at }: GrpcRequest): Promise<string> {
  const bytes = requestOf(input, json);
  if (bytes === undefined) return Promise.resolve("no such request");
  const metadata = new Metadata();
  if (at !== undefined) metadata.set("x-cosmos-block-height", at);
  return new Promise((resolve) => {
    let height = "";
    const same = (each: Buffer) => each;
    const call = client.makeUnaryRequest(path, same, same, bytes, metadata, (error: ServiceError | null, response) => {
      const code = error?.metadata.get("x-error-code")[0]?.toString();
      resolve(error ? `${error.code} ${code} ${error.details}` : `height ${height}\n${response?.toString("base64")}`);
    });
    call.on("metadata", (header: Metadata) => {
      height = String(header.get("x-cosmos-block-height")[0]);
    });
  });
}

/** Undefined where the values fit no request: a text for a number. */
function requestOf(input: DescMessage, json: object): Buffer | undefined {
  try {
    return Buffer.from(toBinary(input, fromJson(input, json as Parameters<typeof fromJson>[1])));
  } catch {
    return undefined;
  }
}

export const grpcClient = ({ grpc }: Servers): Client => new Client(grpc, credentials.createInsecure());
