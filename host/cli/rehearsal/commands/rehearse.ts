/** `chaind upgrade rehearse`: what would the upgrade do to this chain, and to this machine? */

import { setPriority } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { HANDLER_DISK_MAX_HELP, parseCount, parseHeight, parsePositive } from "../../../base/terminal/options.js";
import { utf8 } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import type { OnProgress } from "../../../base/types/types.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { Context } from "../../flags/context.js";
import { type StartSettings, settledStart } from "../../flags/start-settings.js";
import type { Unmet } from "../report/checks.js";
import type { Report } from "../report/report.js";

interface RehearseFlags {
  readonly plan?: string;
  readonly handler?: string;
  readonly at?: bigint;
  readonly snapshot?: string;
  readonly copy?: boolean;
  readonly time?: string;
  readonly handlers?: string;
  readonly handlersStaged?: string;
  readonly handlerDiskMax?: number;
  readonly runs: number;
  readonly gas?: boolean;
  readonly idempotent?: boolean;
  readonly require?: string;
  readonly accept?: string;
  readonly diff?: string;
  readonly report?: string;
  readonly save: boolean;
  readonly show: number;
}

/** What a node needs comes first. */
const NICE = 19;
const SAY_MILLIS = 2_000;
const NOT_SAVED = "not kept: --no-save. What the home keeps of an earlier rehearsal still counts.";

export function registerRehearse(program: Cobra, group: Cobra, context: Context): void {
  group
    .command("rehearse")
    .summary("Make the upgrade's block on a copy of the state, and report what it would do")
    .description(
      "Makes the block of an upgrade on a branch of the state in a home, in the very way in which the node makes it, and\n" +
        "reports versions, stores, changed pairs, gas, times, memory, disk, queries and the app hash. A node may run in the\n" +
        "home meanwhile; what the block would write is kept in a temporary folder (TMPDIR). The home gets the report alone, as\n" +
        "data/rehearsals/<plan>.json, where `upgrade preflight` and `tx upgrade attest` find it.\n\n" +
        "Exit status 0: it would apply. 1: it would apply, and a check found something that\n" +
        "--accept does not name, or one that --require names did not pass. 20: it would fail.\n" +
        "21: nodes would refuse the handler. 10, 11, 12: the node would halt. 30: the disk has\n" +
        "no room for it. 2: a wrong flag or file. 3: no plan, or no state of that height.\n\n" +
        "Ahead of the plan's height the check plan is not made, and versions is never made for\n" +
        "a handler that no version of this program carries: --require all fails then.",
    )
    .option("--plan <name|file>", "plan, by name or as a file with its JSON (default: the scheduled one)")
    .option("--handler <file>", "handler in place of those of the home and the program")
    .option("--at <height>", "begin with the state of this height (default: the last one)", parseHeight)
    .option("--snapshot <file>", "begin with the state of this archive, as `snapshots dump` writes it")
    .option(
      "--copy",
      "copy the database first and rehearse on the copy, for blocks that take longer than the node keeps states",
    )
    .option("--time <time>", "time of the block, RFC 3339 (default: just after the last block)")
    .option("--handlers <dir>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .option("--handlers-staged <dir>", "one more folder of handlers that wait for their height")
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount)
    .option("--runs <n>", "make the block so often: all must come to one app hash", parsePositive, 2)
    .option("--gas", "report what the gas went to; for that the handler runs once more")
    .option("--idempotent", "the handler is declared to change nothing when it runs again: try it")
    .option(
      "--require <checks>",
      "all, or names of checks with commas between: exit with 1 if one found something or was not made",
    )
    .option("--accept <checks>", "names of checks with commas between, whose findings are expected: such as supply")
    .option("--diff <file>", "write every changed pair to this file, as lines of JSON")
    .option("--show <n>", "changed pairs of each store in the report", parseCount, 5)
    .option("--report <file>", "write the report as one HTML page too")
    .option("--no-save", "do not keep the report in the home")
    .example(
      "upgrade rehearse --home node",
      "upgrade rehearse --handler v3.wasm --report v3.html --home node",
      "upgrade rehearse --require determinism,queries,supply -o json --home node",
    )
    .action(async (flags: RehearseFlags, command: Cobra) => {
      await run(flags, {
        home: String(command.optsWithGlobals()["home"]),
        start: settledStart(program, context.io.env),
        context,
      });
    });
}

interface RunFacts {
  readonly home: string;
  readonly start: StartSettings;
  readonly context: Context;
}

async function run(flags: RehearseFlags, { home, start, context }: RunFacts): Promise<void> {
  lowerPriority();
  const { exitStatus, parseAccepted, parseRequired, unmet } = await import("../report/checks.js");
  const required = flags.require === undefined ? [] : parseRequired(flags.require);
  const accepted = flags.accept === undefined ? [] : parseAccepted(flags.accept);
  const { rehearse } = await import("../rehearse.js");
  const { parseTime } = await import("../../../base/time/time.js");
  const { keepReport } = await import("../report/keep-report.js");
  const isOther = flags.snapshot !== undefined || flags.time !== undefined;
  const { diff, report: pageFile, time, copy, handlersStaged, idempotent, show, gas, save, ...same } = flags;
  const diffFile = diff === undefined ? undefined : await ownFile(home, diff);
  const page = pageFile === undefined ? undefined : await ownFile(home, pageFile);
  const report = await rehearse(context.chain, {
    ...same,
    ...{ accepted, home, isCopied: copy, staged: handlersStaged, isIdempotent: idempotent, shown: show },
    appVersion: start.appVersion,
    gas: gas || page !== undefined,
    time: time === undefined ? undefined : parseTime(time),
    diff: diffFile,
    isKept: save && !isOther,
    log: (level, message) => {
      if (level === "warn" || level === "error") context.say(`${level}: ${message}`);
    },
    onBegin: (unfinished) => save && keepReport(unfinished, isOther),
    onProgress: progressLines((line) => context.say(line)),
  });
  const missing = report.applied ? unmet(required, report) : [];
  if (page !== undefined) {
    const { htmlReport } = await import("../report/html.js");
    const { writeFileAtomically } = await import("../../../base/files/atomic-file.js");
    writeFileAtomically(page, utf8(htmlReport(report, missing)));
  }
  const { textReport } = await import("../report/text.js");
  // A promise of a module that was rejected, or its callback that throws, ends the process now: there is no result then.
  await nextTurn();
  const kept = save ? keepReport(report, isOther) : undefined;
  const text = textReport(report, missing);
  await context.print(
    { ...report, unmet: missing.map(unmetLine), kept: kept?.file ?? null },
    `${text}\n${kept ? visible(kept.words) : NOT_SAVED}`,
  );
  for (const words of await doubts(context.chain, report, home, start)) context.say(`warning: ${words}`);
  context.setExitStatus(exitStatus(report, missing));
}

const unmetLine = ({ name, isMade, why }: Unmet) => `${name}: ${isMade ? why : `not checked, ${why}`}`;

/** Settings of `start` with which the node does not make this block, or not with what this program has. */
async function doubts(chain: Chain, { plan }: Report, home: string, start: StartSettings): Promise<readonly string[]> {
  if (!plan) return [];
  const { hiddenBy, hindrance } = await import("../../offline/start-judgement.js");
  const scheduled = { name: plan.name, height: BigInt(plan.height), info: "" };
  const hidden = hiddenBy(chain, scheduled, start).replace(/^; /, "");
  const found = hindrance(scheduled, { home, next: scheduled.height, start, isRunning: false });
  return [hidden, found ?? ""].filter((words) => words !== "");
}

/** Where the system does not let it, it runs as it is. */
function lowerPriority(): void {
  try {
    setPriority(NICE);
  } catch {
    // Not on this system.
  }
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: a node needs the file, or it cannot be created in its folder */
async function ownFile(home: string, path: string): Promise<string> {
  const { Home } = await import("../../../node/home/home.js");
  const { outputFile } = await import("../../offline/output-file.js");
  const { path: file, isStream } = outputFile(new Home(home), path);
  if (!isStream) return file;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `${path} is no ordinary file`);
}

/** How far the block has come, now and then. */
function progressLines(say: (line: string) => void): OnProgress {
  let last = performance.now();
  return (phase, store, done, total) => {
    const now = performance.now();
    if (now - last < SAY_MILLIS) return;
    last = now;
    const of = total > 0 ? ` of ${total}` : "";
    say(`${phase}${store === "" ? "" : ` ${store}`}: ${done}${of}`);
  };
}
