/** A sidecar that supervises the home, and what it finds missing: of the one that runs, else what one that is started would find. */
import { join } from "node:path";
import { diskFiles } from "../../base/files/disk-files.js";
import type { Plan } from "../../base/types/types.js";
import { isLacking, isUnderWay } from "../../visor/decide/readiness.js";
import { readSettings } from "../../visor/decide/settings/read.js";
import type { Readiness } from "../../visor/decide/status.js";
import { realMachine } from "../../visor/run/real-machine.js";
import { examineHome, isSaidIn, unsaid } from "../../visor/run/without-sidecar/examined.js";
import { haltWords, isHaltOfFailure, stagedReadiness } from "../../visor/run/without-sidecar/from-disk.js";
import { type FoundStatus, lackingOf } from "../../visor/run/without-sidecar/status-of.js";
import type { Finding } from "../../visor/stage/doctor/finding.js";
import { supervisionReadiness } from "../../visor/stage/supervision.js";
import { haltRecordOf } from "../../visor/status/node-form.js";
import type { SidecarPlace } from "./program-rows.js";
import type { Row } from "./row.js";

/** Warnings of the doctor that no other row has. */
const WARNED: ReadonlySet<string> = new Set(["settings", "backup", "pre-upgrade script", "unit"]);

/** A row for each thing that is missing, whatever the doctor calls wrong among them; then its warnings. */
export async function sidecarRows(place: SidecarPlace, node: string, plan: Plan): Promise<readonly Row[]> {
  const check = "sidecar" as const;
  const halt = haltRecordOf(node, diskFiles);
  const nobody = `no chainvisor runs on ${place.home}: somebody must switch the program at the height`;
  if (diskFiles.facts(join(place.home, "cosmovisor"))?.kind !== "folder") {
    if (!isHaltOfFailure(halt)) return [{ check, state: "warning", words: nobody }];
    return [{ check, state: "missing", words: `the node ended: ${haltWords(halt)}`, next: halt.commands[0] }];
  }
  const read = readSettings({ ...place.env, DAEMON_HOME: place.home, DAEMON_NAME: place.name }, undefined);
  const { settings } = read;
  const { found, findings } = await examineHome(read, realMachine);
  const lacking = [
    ...(await lackingFor(found, plan, () => stagedReadiness(settings, realMachine, plan))),
    ...supervisionReadiness(diskFiles, settings),
  ].filter(({ detail }) => !isSaidIn(findings, detail));
  const rowOf = ({ what, detail, next }: Readiness | Finding, state: Row["state"]): Row => ({
    ...{ check, state, words: `${what}: ${detail}`, next: next ?? undefined },
  });
  const warned = unsaid(findings, lacking).filter(({ level, what }) => level === "warning" && WARNED.has(what));
  const rows = [
    ...findings.filter(({ level }) => level === "wrong").map((each) => rowOf(each, "missing")),
    ...lacking.map((each) => rowOf(each, "missing")),
    ...warned.map((each) => rowOf(each, "warning")),
  ];
  if (rows.some(({ state }) => state === "missing")) return rows;
  const { phase } = found.status;
  if (!found.sidecar) return [{ check, state: "warning", words: `${nobody}, or start it` }, ...rows];
  return [{ check, state: "ok", words: `chainvisor is ${phase}, nothing is missing` }, ...rows];
}

/** One that has just begun has not seen the plan yet, and an operator's plan may come before it. */
async function lackingFor(
  found: FoundStatus,
  plan: Plan,
  look: () => ReturnType<typeof stagedReadiness>,
): Promise<readonly Readiness[]> {
  const lacking = lackingOf(found);
  const seen = found.status.plan;
  const isSeen = seen !== null && seen.height === String(plan.height);
  if (isSeen || found.status.phase === "failed" || isUnderWay(found.status)) return lacking;
  const isFirst = seen !== null && BigInt(seen.height) < plan.height;
  const own = found.silentPid !== undefined || isFirst ? lacking : [];
  const looked = (await look()).filter(({ detail }) => !own.some((each) => each.detail === detail));
  return [...own, ...looked.filter(isLacking)];
}
