/** Several nodes run at the same time; those that are asked something open their servers on free ports. */
export const NO_SERVERS = ["--rpc.enable=false", "--grpc.enable=false", "--api.enable=false"];
