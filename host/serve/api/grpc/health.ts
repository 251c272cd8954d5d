/** `grpc.health.v1`: serving from the first block on, until the node begins to stop. */
import { create } from "@bufbuild/protobuf";
import {
  type HealthCheckRequest,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "../../../base/gen/grpc/health/v1/health_pb.js";
import type { StreamCall } from "./stream-call.js";
import { STATUS } from "./wire.js";

const WATCH_MILLIS = 500;

interface HealthState {
  /** Ends all watches: the server closes. */
  stop(): void;
}

export function healthHandlers(
  services: readonly string[],
  isReady: () => boolean,
): {
  readonly check: (call: StreamCall) => void;
  readonly watch: (call: StreamCall) => void;
  readonly state: HealthState;
} {
  const known = new Set(["", ...services]);
  const watches = new Set<() => void>();
  const response = (status: Status) => create(HealthCheckResponseSchema, { status });
  const statusOf = (service: string): Status => {
    if (!known.has(service)) return Status.SERVICE_UNKNOWN;
    return isReady() ? Status.SERVING : Status.NOT_SERVING;
  };

  const check = (call: StreamCall) => {
    call.onRequest((request) => {
      const { service } = call.decode(request) as HealthCheckRequest;
      if (!known.has(service)) return call.end(STATUS.notFound, `unknown service ${service.slice(0, 200)}`);
      call.write(response(statusOf(service)));
      return call.end();
    });
  };

  const watch = (call: StreamCall) => {
    call.onRequest((request) => {
      const { service } = call.decode(request) as HealthCheckRequest;
      let last: Status | undefined;
      const look = () => {
        const status = statusOf(service);
        if (status !== last) call.write(response(status));
        last = status;
      };
      const timer = setInterval(look, WATCH_MILLIS);
      const end = () => {
        clearInterval(timer);
        watches.delete(end);
        call.end();
      };
      watches.add(end);
      call.onClose(end);
      look();
    });
  };

  const stop = () => {
    for (const end of [...watches]) end();
  };
  return { check, watch, state: { stop } };
}
