/** gRPC: every service of the query, reflection and health, over HTTP/2 without encryption. */
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from "node:net";
import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  type Metadata as GrpcMetadata,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { UpgradeError } from "../../errors.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { type Address, DOOR_LIMITS, type DoorLimits, type DoorOptions, type OpenDoor } from "../door.js";
import { apiError } from "../errors.js";
import { cannotListen } from "../http-server.js";
import { ERROR_CODE_HEADER, HEIGHT_HEADER, parseAskedHeight } from "../query/query.js";
import { filesOf } from "../query/registry.js";
import type { QueryMethod, QueryService } from "../query/service.js";
import { healthHandlers } from "./health.js";
import { ReflectionIndex, reflectionHandler } from "./reflection.js";

export interface GrpcOptions extends DoorOptions {
  readonly address: Address;
  isReady(): boolean;
}

const SERVER_OPTIONS = {
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  "grpc.max_connection_idle_ms": 300_000,
  "grpc.max_concurrent_streams": 1_024,
};

/** @throws UpgradeError UPG_INVALID_CONFIG when the address cannot be had */
export async function openGrpc(options: GrpcOptions): Promise<OpenDoor> {
  const limits: DoorLimits = { ...DOOR_LIMITS, ...options.limits };
  const { query } = options;
  const server = new Server({ ...SERVER_OPTIONS, "grpc.max_receive_message_length": limits.bodyBytes });
  const door = new GrpcDoor(options, limits);
  for (const service of query.services) server.addService(definition(service), door.implementation(service));
  const names = [...query.descriptors, Health, ServerReflection, ServerReflectionAlpha];
  const health = healthHandlers(
    names.map(({ typeName }) => typeName),
    options.isReady,
  );
  server.addService(serviceOf(Health.typeName, Health.methods), health.implementation);
  const index = new ReflectionIndex(names, filesOf(names));
  for (const reflection of [ServerReflection, ServerReflectionAlpha]) {
    // The two have the same messages: one handler and one set of types serve both.
    server.addService(serviceOf(reflection.typeName, ServerReflection.methods), reflectionHandler(index));
  }
  const sockets = new Sockets(server, limits.connections);
  const address = await sockets.listen(options.address);
  return {
    address,
    close: async (millis) => {
      health.state.stop();
      await sockets.close(server, millis);
    },
  };
}

/**
 * The listening is done here and not in the library: so connections are counted, a port in use says so in time, and the
 * end of the node does not wait for a connection that never spoke HTTP/2.
 */
class Sockets {
  readonly #open = new Set<Socket>();
  readonly #listener: NetServer;

  constructor(server: Server, connections: number) {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listener = createServer({ noDelay: true }, (socket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
      socket.on("error", () => socket.destroy());
      injector.injectConnection(socket);
    });
    this.#listener.maxConnections = connections;
  }

  async listen({ host, port }: Address): Promise<Address> {
    await new Promise<void>((resolve, reject) => {
      this.#listener.once("error", (cause) => reject(cannotListen("--grpc.address", { host, port }, cause)));
      this.#listener.listen({ host, port, backlog: 1_024 }, resolve);
    });
    const bound = this.#listener.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
  }

  /** Calls under way have `millis`; then whatever is still open is not. */
  async close(server: Server, millis: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, millis);
      server.tryShutdown(() => {
        clearTimeout(late);
        resolve();
      });
    });
    server.forceShutdown();
    this.#destroyAll();
    await closed;
  }

  #destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

function definition({ descriptor }: QueryService): ServiceDefinition {
  return serviceOf(descriptor.typeName, descriptor.methods);
}

function serviceOf(typeName: string, methods: readonly DescMethod[]): ServiceDefinition {
  return Object.fromEntries(
    methods.map(({ name, localName, input, output, methodKind }) => [
      localName,
      {
        path: `/${typeName}/${name}`,
        requestStream: methodKind === "client_streaming" || methodKind === "bidi_streaming",
        responseStream: methodKind === "server_streaming" || methodKind === "bidi_streaming",
        requestSerialize: (message: Message) => Buffer.from(toBinary(input, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
        responseSerialize: (message: Message) => Buffer.from(toBinary(output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(output, bytes),
      },
    ]),
  );
}

class GrpcDoor {
  #underWay = 0;

  constructor(
    private readonly options: GrpcOptions,
    private readonly limits: DoorLimits,
  ) {}

  implementation({ methods }: QueryService): UntypedServiceImplementation {
    return Object.fromEntries(methods.map((method) => [method.descriptor.localName, this.#unary(method)]));
  }

  #unary(method: QueryMethod): handleUnaryCall<Message, Message> {
    return (call, answer) => {
      const begun = performance.now();
      const told = (status: number) =>
        this.options.events.onAnswer("grpc", method.path, status, (performance.now() - begun) / 1_000);
      this.#underWay++;
      this.#answer(method, call.request, call.metadata)
        .then(
          ({ message, height }) => {
            const header = new Metadata();
            header.set(HEIGHT_HEADER, String(height));
            call.sendMetadata(header);
            answer(null, message);
            told(0);
          },
          (error: unknown) => {
            const { grpc, message, code } = apiError(error, this.options.events.onBug);
            const metadata = new Metadata();
            metadata.set(ERROR_CODE_HEADER, code);
            answer({ code: grpc, details: message, metadata });
            told(grpc);
          },
        )
        .finally(() => {
          this.#underWay--;
        });
    };
  }

  async #answer(method: QueryMethod, request: Message, metadata: GrpcMetadata) {
    if (this.#underWay > this.limits.concurrency) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${this.limits.concurrency} requests are under way: try again`);
    }
    const [asked] = metadata.get(HEIGHT_HEADER);
    return await this.options.query.call(method, request, parseAskedHeight(asked?.toString()));
  }
}
