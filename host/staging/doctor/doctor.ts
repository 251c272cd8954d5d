/** Everything an operator can get wrong, looked at together; nothing is changed. */
import { join } from "node:path";
import { messageOf } from "../../errors.js";
import { foundUnrecordedVote } from "../../programs/unrecorded-vote.js";
import { RESTART_OFF, RESTART_ON } from "../home-readiness.js";
import { diskFindings } from "./disk.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";
import { folderFindings } from "./folders.js";
import { otherHomeFindings } from "./other-home.js";
import { planFindings } from "./plans.js";
import { sidecarFindings } from "./sidecars.js";
import { isStartedAgainByUnit, unitFindings } from "./units.js";

const CHECKS: readonly (readonly [what: string, look: (patient: Patient) => Finding[]])[] = [
  ["settings", settingFindings],
  ["settings", otherHomeFindings],
  ["folders", folderFindings],
  ["plan", planFindings],
  ["backup", diskFindings],
  ["sidecar", sidecarFindings],
  ["unit", unitFindings],
  ["validator key", validatorKeyFindings],
];

/** Less is no longer than a switch takes. */
const DELAY_MILLIS = 60_000;

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
    ...problems.map((text) => wrong("settings", text)),
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
  if (settings.restartDelay >= DELAY_MILLIS) {
    const detail = `DAEMON_RESTART_DELAY is ${settings.restartDelay / 1_000} s: the node makes no block for that long at each switch`;
    findings.push(warning("settings", detail));
  }
  if (!settings.isRestartedAfterUpgrade && !isStartedAgainByUnit(files, settings.home)) {
    findings.push(warning("settings", RESTART_OFF, RESTART_ON));
  }
  if (findings.length > 0) return findings;
  return [ok("settings", file === undefined ? "from the environment" : `from the environment and ${file}`)];
}

function validatorKeyFindings({ files, read }: Patient): Finding[] {
  const found = foundUnrecordedVote(files, join(read.settings.home, "data"));
  return found === undefined ? [] : [warning("validator key", found)];
}
