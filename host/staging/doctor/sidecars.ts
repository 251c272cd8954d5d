/** Is a sidecar at work on this home, and only one? */
import { chainvisorOf, cosmovisorsOf, supervisionReadiness } from "../supervision.js";
import { type Finding, ok, type Patient, wrong } from "./finding.js";

export function sidecarFindings({ files, read: { settings } }: Patient): Finding[] {
  const theirs = cosmovisorsOf(files, settings).map((pid) =>
    wrong(
      "sidecar",
      `Cosmovisor runs on this home (pid ${pid}): two sidecars would both switch and both start the node`,
    ),
  );
  const own = chainvisorOf(settings);
  const none = supervisionReadiness(files, settings).map(({ what, detail, next }) => wrong(what, detail, next));
  return [
    ...theirs,
    ...none,
    ...(own === undefined ? [] : [ok("sidecar", `chainvisor runs on this home (pid ${own})`)]),
  ];
}
