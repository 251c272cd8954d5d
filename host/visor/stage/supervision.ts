/** Does anything switch this home's program at the height? A node that was started by hand halts there, and stays halted. */
import { join } from "node:path";
import type { Files } from "../../base/files/files.js";
import { decodeLossy } from "../../base/text/text.js";
import { Home } from "../../node/home/home.js";
import { livingHolder } from "../../node/home/home-lock.js";
import { SIDECAR_LOCK } from "../../node/home/supervised-start.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";

const NAME_BYTES_MAX = 64;

type Place = Pick<Settings, "home" | "root">;

const pidOf = (holder: string | undefined): string | undefined => holder?.split(" ", 1)[0];

/** Process id of the chainvisor that runs on this home. */
export const chainvisorOf = ({ root }: Pick<Place, "root">): string | undefined =>
  pidOf(livingHolder(join(root, SIDECAR_LOCK)));

/** It works in `<home>/cosmovisor`; where the system shows no processes, none is found. */
export function cosmovisorsOf(files: Files, { root }: Pick<Place, "root">): string[] {
  const isTheirs = (pid: string) => {
    try {
      const name = decodeLossy(files.readPart(`/proc/${pid}/comm`, 0, NAME_BYTES_MAX)).trim();
      return name === "cosmovisor" && files.readLink(`/proc/${pid}/cwd`) === root;
    } catch {
      // It has ended meanwhile, or is another user's.
      return false;
    }
  };
  return (files.list("/proc") ?? []).filter((name) => /^[0-9]+$/.test(name)).filter(isTheirs);
}

/** Of our chains: the node runs, and neither a sidecar nor a relay does. */
export function supervisionReadiness(files: Files, place: Place): readonly Readiness[] {
  const { lockFile, relayLockFile } = new Home(place.home);
  const node = pidOf(livingHolder(lockFile));
  if (node === undefined || files.facts(place.root)?.kind !== "folder") return [];
  if (chainvisorOf(place) !== undefined || livingHolder(relayLockFile) !== undefined) return [];
  if (cosmovisorsOf(files, place).length > 0) return [];
  const detail = `the node (pid ${node}) runs without a sidecar: nothing switches its program at the height. Stop it, and start chainvisor`;
  return [{ what: "sidecar", state: "missing", detail, next: null }];
}

/** In words: neither a sidecar nor a relay runs, so the program is not switched at the height. Undefined: one does. */
export function unsupervised(files: Files, place: Place): string | undefined {
  const { relayLockFile } = new Home(place.home);
  if (chainvisorOf(place) !== undefined || livingHolder(relayLockFile) !== undefined) return undefined;
  if (cosmovisorsOf(files, place).length > 0) return undefined;
  return `no chainvisor runs on ${place.home}: start it, or somebody must switch the program at the height`;
}
