/** `grpc.health.v1`: serving from the first block on, until the node begins to stop. */
import { create } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/grpc/health/v1/health_pb.js";

const NOT_FOUND = 5;
const WATCH_MILLIS = 500;

interface HealthState {
  /** Ends all watches: the server closes. */
  stop(): void;
}

export function healthHandlers(
  services: readonly string[],
  isReady: () => boolean,
): { readonly implementation: UntypedServiceImplementation; readonly state: HealthState } {
  const known = new Set(["", ...services]);
  const watches = new Set<() => void>();
  const response = (status: Status) => create(HealthCheckResponseSchema, { status });
  const statusOf = (service: string): Status => {
    if (!known.has(service)) return Status.SERVICE_UNKNOWN;
    return isReady() ? Status.SERVING : Status.NOT_SERVING;
  };

  const check: handleUnaryCall<HealthCheckRequest, HealthCheckResponse> = ({ request }, answer) => {
    if (known.has(request.service)) answer(null, response(statusOf(request.service)));
    else answer({ code: NOT_FOUND, details: `unknown service ${request.service.slice(0, 200)}` });
  };

  const watch: handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse> = (call) => {
    let last: Status | undefined;
    const look = () => {
      const status = statusOf(call.request.service);
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
    call.once("cancelled", end);
    look();
  };

  const stop = () => {
    for (const end of [...watches]) end();
  };
  return { implementation: { check, watch }, state: { stop } };
}
