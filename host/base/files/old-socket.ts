/** A unix socket that a process which was killed has left under its path. */
import { lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { UpgradeError } from "../errors/errors.js";

/** Removes the socket, unless a process listens there. @throws UpgradeError UPG_INVALID_CONFIG: the path is in use */
export async function removeOldSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const wrong = (what: string) => new UpgradeError("UPG_INVALID_CONFIG", `${path} ${what}, or use another path`);
  if (!found.isSocket()) throw wrong("exists and is no socket: remove it");
  if (await isServed(path)) throw wrong("is in use, another program listens there: end it");
  rmSync(path, { force: true });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
