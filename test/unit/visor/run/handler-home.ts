/** A home of this project's chains, and a handler for plan v3. */
import { createHash } from "node:crypto";
import { build, guest } from "../../../guest/build.js";
import { ScriptsHome } from "../scripts-home.js";

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
export const HANDLER = Buffer.from(build(guest(), { name: "v3" }));
export const SHA256 = sha256(HANDLER);
/** Info of a plan that pins the handler. */
export const PINNED = JSON.stringify({ handler: { sha256: SHA256 } });

export function ourHome(): ScriptsHome {
  const home = new ScriptsHome();
  home.write("data/chain.mdb", "");
  home.program("genesis", "exit 0");
  return home;
}
