/** A gRPC client that knows nothing but what the server's reflection gives it. */
import {
  create,
  createFileRegistry,
  type DescService,
  type FileRegistry,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../../../host/base/gen/grpc/reflection/v1/reflection_pb.js";

export type Reflection = "grpc.reflection.v1.ServerReflection" | "grpc.reflection.v1alpha.ServerReflection";

export interface CallAnswer {
  readonly json: unknown;
  /** Height that the answer's metadata name. */
  readonly height: string | undefined;
}

interface CallFailure {
  readonly code: number;
  readonly details: string;
  readonly errorCode: string | undefined;
}

export class ReflectedClient {
  readonly #client: Client;

  constructor(
    address: string,
    private readonly reflection: Reflection = "grpc.reflection.v1.ServerReflection",
  ) {
    this.#client = new Client(address, credentials.createInsecure());
  }

  close(): void {
    this.#client.close();
  }

  /** One question to the reflection. */
  ask(messageRequest: ServerReflectionRequest["messageRequest"]): Promise<ServerReflectionResponse["messageResponse"]> {
    const stream = this.#client.makeBidiStreamRequest(
      `/${this.reflection}/ServerReflectionInfo`,
      (request: ServerReflectionRequest) => Buffer.from(toBinary(ServerReflectionRequestSchema, request)),
      (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
    );
    return new Promise((resolve, reject) => {
      stream.on("data", (response: ServerReflectionResponse) => resolve(response.messageResponse));
      stream.on("error", reject);
      stream.write(create(ServerReflectionRequestSchema, { messageRequest }));
      stream.end();
    });
  }

  async services(): Promise<string[]> {
    const answer = await this.ask({ case: "listServices", value: "" });
    if (answer.case !== "listServicesResponse") throw new Error(`unexpected answer ${answer.case}`);
    return answer.value.service.map(({ name }) => name);
  }

  /** Descriptors of the file that declares a symbol, and of all that it imports. */
  async registryOf(symbol: string): Promise<FileRegistry> {
    const answer = await this.ask({ case: "fileContainingSymbol", value: symbol });
    if (answer.case !== "fileDescriptorResponse") throw new Error(`no file for ${symbol}`);
    const file = answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    return createFileRegistry(create(FileDescriptorSetSchema, { file: inOrder(file) }));
  }

  async service(name: string): Promise<{ readonly service: DescService; readonly registry: FileRegistry }> {
    const registry = await this.registryOf(name);
    const service = registry.getService(name);
    if (!service) throw new Error(`${name} is no service`);
    return { service, registry };
  }

  /** @throws CallFailure */
  async call(service: string, method: string, json: object = {}, height?: string): Promise<CallAnswer> {
    const found = await this.service(service);
    const descriptor = found.service.methods.find(({ name }) => name === method);
    if (!descriptor) throw new Error(`${service} has no ${method}`);
    const { registry } = found;
    const request = fromJson(descriptor.input, json as Parameters<typeof fromJson>[1], { registry });
    const metadata = new Metadata();
    if (height !== undefined) metadata.set("x-cosmos-block-height", height);
    return new Promise((resolve, reject) => {
      let told: string | undefined;
      const call = this.#client.makeUnaryRequest(
        `/${service}/${method}`,
        () => Buffer.from(toBinary(descriptor.input, request)),
        (bytes: Buffer) => fromBinary(descriptor.output, bytes),
        null,
        metadata,
        (error: ServiceError | null, message) => {
          if (error) reject(failureOf(error));
          else if (message) {
            const options = { registry, useProtoFieldName: true, alwaysEmitImplicit: true };
            resolve({ json: toJson(descriptor.output, message, options), height: told });
          }
        },
      );
      call.on("metadata", (header: Metadata) => {
        told = header.get("x-cosmos-block-height")[0]?.toString();
      });
    });
  }
}

function failureOf({ code, details, metadata }: ServiceError): CallFailure {
  return { code, details, errorCode: metadata.get("x-error-code")[0]?.toString() };
}

/** A registry takes files after those that they import. */
function inOrder<T extends { readonly name: string; readonly dependency: readonly string[] }>(
  files: readonly T[],
): T[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<T>();
  const add = (file: T): void => {
    if (ordered.has(file)) return;
    for (const name of file.dependency) {
      const dependency = byName.get(name);
      if (dependency) add(dependency);
    }
    ordered.add(file);
  };
  for (const file of files) add(file);
  return [...ordered];
}
