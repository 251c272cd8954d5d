/** Is a sidecar at work on this home, and only one? */
import { chainvisorOf, cosmovisorsOf, supervisionReadiness, unsupervised } from "../supervision.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";

export function sidecarFindings({ files, scheduled, read: { settings } }: Patient): Finding[] {
  const theirs = cosmovisorsOf(files, settings).map((pid) =>
    wrong(
      "sidecar",
      `Cosmovisor runs on this home (pid ${pid}): two sidecars would both switch and both start the node`,
    ),
  );
  const own = chainvisorOf(settings);
  const none = supervisionReadiness(files, settings).map(({ what, detail, next }) => wrong(what, detail, next));
  const nobody = scheduled && none.length === 0 ? unsupervised(files, settings) : undefined;
  return [
    ...theirs,
    ...none,
    ...(nobody === undefined ? [] : [warning("sidecar", nobody)]),
    ...(own === undefined ? [] : [ok("sidecar", `chainvisor runs on this home (pid ${own})`)]),
  ];
}
