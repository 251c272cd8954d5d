/** Addresses that a server listens at. */
import { type AddressInfo, createServer, type Server } from "node:net";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Address } from "./server.js";

/** @param flag that names the address. Returns the one that it has. @throws UpgradeError UPG_INVALID_CONFIG when it cannot be had */
export async function listen(server: Server, { host, port }: Address, flag: string): Promise<Address> {
  await new Promise<void>((resolve, reject) => {
    // Also of a connection that the system could not give, later: that ends nothing.
    server.on("error", (cause) => reject(cannotListen(flag, { host, port }, cause)));
    server.listen({ host, port, backlog: 1_024 }, resolve);
  });
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

/** Could a server listen there now? @throws UpgradeError UPG_INVALID_CONFIG */
export async function requireFree(address: Address, flag: string): Promise<void> {
  const server = createServer();
  await listen(server, address, flag);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function cannotListen(flag: string, { host, port }: Address, cause: unknown): UpgradeError {
  const code = (cause as NodeJS.ErrnoException).code;
  const why = code === "EADDRINUSE" ? "the port is in use" : messageOf(cause);
  return new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${flag}: cannot listen on ${host}:${port}: ${why}; choose another address (port 0: any that is free)`,
    { cause },
  );
}
