/** Is another sidecar at work on this home? */
import { join } from "node:path";
import { livingHolder } from "../../engine/home/home-lock.js";
import { decodeLossy } from "../../text.js";
import { type Finding, ok, type Patient, wrong } from "./finding.js";

const NAME_BYTES_MAX = 64;

export function sidecarFindings({ files, read }: Patient): Finding[] {
  const { root } = read.settings;
  const pids = cosmovisors({ files, read });
  const theirs = pids.map((pid) =>
    wrong(
      "sidecar",
      `Cosmovisor runs on this home (pid ${pid}): two sidecars would both switch and both start the node`,
    ),
  );
  const holder = livingHolder(join(root, "chainvisor.lock"))?.split(" ", 1)[0];
  return [...theirs, ...(holder === undefined ? [] : [ok("sidecar", `chainvisor runs on this home (pid ${holder})`)])];
}

/** It works in `<home>/cosmovisor`; where the system shows no processes, none is found. */
function cosmovisors({ files, read }: Pick<Patient, "files" | "read">): string[] {
  const isTheirs = (pid: string) => {
    try {
      const name = decodeLossy(files.readPart(`/proc/${pid}/comm`, 0, NAME_BYTES_MAX)).trim();
      return name === "cosmovisor" && files.readLink(`/proc/${pid}/cwd`) === read.settings.root;
    } catch {
      // It has ended meanwhile, or is another user's.
      return false;
    }
  };
  return (files.list("/proc") ?? []).filter((name) => /^[0-9]+$/.test(name)).filter(isTheirs);
}
