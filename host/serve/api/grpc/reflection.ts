/** Server reflection, v1 and v1alpha alike: files of descriptors, as the generated code holds them. */
import {
  create,
  type DescFile,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import {
  type ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../../base/gen/grpc/reflection/v1/reflection_pb.js";
import type { StreamCall } from "./stream-call.js";

const NOT_FOUND = 5;
const INVALID_ARGUMENT = 3;
/** Questions on one stream. */
const REQUESTS_MAX = 10_000;

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** Files by their name and by what is declared in them. */
export class ReflectionIndex {
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();
  readonly #extensions = new Map<string, Map<number, DescFile>>();
  readonly #names: readonly string[];

  constructor(services: readonly DescService[], files: readonly DescFile[]) {
    this.#names = services.map(({ typeName }) => typeName).sort();
    for (const file of files) this.#add(file);
  }

  get services(): readonly string[] {
    return this.#names;
  }

  /** The file and all that it imports. */
  named(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  declaring(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  extending(type: string, number: number): DescFile | undefined {
    return this.#extensions.get(type)?.get(number);
  }

  extensionNumbers(type: string): readonly number[] | undefined {
    const numbers = this.#extensions.get(type);
    return numbers ? [...numbers.keys()] : this.#symbols.has(type) ? [] : undefined;
  }

  #add(file: DescFile): void {
    this.#files.set(fileName(file), file);
    for (const service of file.services) {
      this.#symbols.set(service.typeName, file);
      for (const { name } of service.methods) this.#symbols.set(`${service.typeName}.${name}`, file);
    }
    for (const message of file.messages) this.#addMessage(message, file);
    for (const { typeName } of file.enums) this.#symbols.set(typeName, file);
    for (const { typeName, extendee, number } of file.extensions) {
      this.#symbols.set(typeName, file);
      const known = this.#extensions.get(extendee.typeName) ?? new Map<number, DescFile>();
      this.#extensions.set(extendee.typeName, known.set(number, file));
    }
  }

  #addMessage(message: DescMessage, file: DescFile): void {
    this.#symbols.set(message.typeName, file);
    for (const { name } of message.fields) this.#symbols.set(`${message.typeName}.${name}`, file);
    for (const { typeName } of message.nestedEnums) this.#symbols.set(typeName, file);
    for (const nested of message.nestedMessages) this.#addMessage(nested, file);
  }
}

/** Descriptors name their files without the ending. */
const fileName = (file: DescFile): string => `${file.name}.proto`;

function withImports(file: DescFile): Uint8Array[] {
  const files = new Map<string, DescFile>();
  const add = (each: DescFile): void => {
    if (files.has(each.name)) return;
    files.set(each.name, each);
    for (const dependency of each.dependencies) add(dependency);
  };
  add(file);
  return [...files.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}

/** The two versions of the protocol have the same messages, so one pair of types serves both. */
export function reflectionHandler(index: ReflectionIndex, idleMillis: number): (call: StreamCall) => void {
  return (call) => {
    let asked = 0;
    // A client may keep its stream for the questions of a whole session.
    call.due = performance.now() + idleMillis;
    call.onMessage((message) => {
      call.due = performance.now() + idleMillis;
      const request = message as ServerReflectionRequest;
      if (++asked > REQUESTS_MAX) return call.end();
      return call.write(
        create(ServerReflectionResponseSchema, {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(index, request.messageRequest),
        }),
      );
    });
    call.onEnd(() => call.end());
  };
}

function answer(index: ReflectionIndex, request: ServerReflectionRequest["messageRequest"]): Answer {
  switch (request.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: index.services.map((name) => ({ name })) } };
    case "fileByFilename":
      return fileAnswer(index.named(request.value), `file ${request.value}`);
    case "fileContainingSymbol":
      return fileAnswer(index.declaring(request.value), `symbol ${request.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      return fileAnswer(index.extending(containingType, extensionNumber), `extension ${extensionNumber}`);
    }
    case "allExtensionNumbersOfType": {
      const numbers = index.extensionNumbers(request.value);
      if (!numbers) return failure(NOT_FOUND, `type ${request.value} not found`);
      const value = { baseTypeName: request.value, extensionNumber: [...numbers] };
      return { case: "allExtensionNumbersResponse", value };
    }
    default:
      return failure(INVALID_ARGUMENT, "the request asks nothing");
  }
}

function fileAnswer(file: DescFile | undefined, what: string): Answer {
  if (!file) return failure(NOT_FOUND, `${what.slice(0, 200)} not found`);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: withImports(file) } };
}

function failure(errorCode: number, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
