/** Everything an operator can get wrong, looked at together; nothing is changed. */
import { join } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import { foundUnrecordedVote } from "../../../node/home/unrecorded-vote.js";
import { REMEDIES } from "../../decide/settings/checks.js";
import { damagedRecords } from "../files-readiness.js";
import { delayProblem, RESTART_OFF, RESTART_ON } from "../home-readiness.js";
import { diskFindings } from "./disk.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";
import { folderFindings } from "./folders.js";
import { genesisFindings } from "./genesis-file.js";
import { otherHomeFindings } from "./other-home.js";
import { planFindings } from "./plans.js";
import { sidecarFindings } from "./sidecars.js";
import { isStartedAgainByUnit, unitFindings } from "./units.js";

const CHECKS: readonly (readonly [what: string, look: (patient: Patient) => Finding[]])[] = [
  ["settings", settingFindings],
  ["settings", otherHomeFindings],
  ["folders", folderFindings],
  ["files", recordFindings],
  ["genesis", genesisFindings],
  ["plan", planFindings],
  ["backup", diskFindings],
  ["sidecar", sidecarFindings],
  ["unit", unitFindings],
  ["validator key", validatorKeyFindings],
];

/** What the system refuses is a finding, too. */
export function examine(patient: Patient): Finding[] {
  return CHECKS.flatMap(([what, look]) => {
    try {
      return look(patient);
    } catch (error) {
      return [wrong(what, `cannot be looked at: ${messageOf(error)}`)];
    }
  });
}

function settingFindings({ read, files }: Patient): Finding[] {
  const { settings, problems, warnings, file } = read;
  const findings = [
    ...problems.map((text) => wrong("settings", text, REMEDIES.get(text) ?? null)),
    ...warnings.map((text) => warning("settings", text)),
  ];
  if (settings.shutdownGrace === 0) {
    const detail =
      "DAEMON_SHUTDOWN_GRACE is 0: at an upgrade a program of the Cosmos SDK is killed without time to write what it holds";
    findings.push(warning("settings", detail, "DAEMON_SHUTDOWN_GRACE=30s"));
  }
  if (settings.isDownloadAllowed && !settings.isChecksumRequired) {
    const detail = "DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM is false: a program that no checksum pins would be run";
    findings.push(warning("settings", detail, "DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM=true"));
  }
  const delay = delayProblem(settings);
  if (delay !== undefined) findings.push(warning("settings", delay));
  if (!settings.isRestartedAfterUpgrade && !isStartedAgainByUnit(files, settings.home)) {
    findings.push(warning("settings", RESTART_OFF, RESTART_ON));
  }
  if (findings.length > 0) return findings;
  return [ok("settings", file === undefined ? "from the environment" : `from the environment and ${file}`)];
}

function recordFindings({ files, read }: Patient): Finding[] {
  return damagedRecords(files, read.settings).map(({ what, detail, next }) => wrong(what, detail, next));
}

function validatorKeyFindings({ files, read }: Patient): Finding[] {
  const found = foundUnrecordedVote(files, join(read.settings.home, "data"));
  return found === undefined ? [] : [warning("validator key", found)];
}
