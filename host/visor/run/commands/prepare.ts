/** `chainvisor prepare`: all that the next upgrade needs, fetched and judged before its height. */

import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Io } from "../../../base/terminal/io.js";
import { visible } from "../../../base/text/visible.js";
import { HomeLock } from "../../../node/home/home-lock.js";
import { requireInputFile } from "../../../node/home/input-file.js";
import { GrpcClient } from "../../../node/remote/grpc.js";
import { childEnv } from "../../decide/child-env.js";
import { placesOf } from "../../decide/decision/paths.js";
import { type Plan, planIn, readPlanFile } from "../../decide/decision/plan-file.js";
import { isSamePlan } from "../../decide/decision/queue.js";
import { askRpc } from "../../decide/heights/node-status.js";
import { ofOwnChain } from "../../decide/heights/own-chain.js";
import { storeHeight } from "../../decide/heights/store-height.js";
import { CURRENT_PLAN_METHOD, PLAN_MILLIS_MAX, planByRpc, planOf, type ScheduledPlan } from "../../decide/node-plan.js";
import { isLacking, isReady, NOT_READY_EXIT } from "../../decide/readiness.js";
import type { Settings } from "../../decide/settings.js";
import type { Readiness } from "../../decide/status.js";
import {
  PREPARE_SUFFIX,
  prepareLock,
  type StagedPlan,
  type StagePlanOptions,
  stagePlan,
} from "../../stage/stage-plan.js";
import { ofLastSupervisor } from "../../stage/start-command.js";
import { supervisionReadiness, unsupervised } from "../../stage/supervision.js";
import { commandLog } from "../loop/log.js";
import { endBySignal, STOP_SIGNALS } from "../process-groups.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { lackingOf, statusOf, upcomingOf } from "../without-sidecar/status-of.js";

interface Flags {
  readonly plan?: string;
}

type Say = (line: string) => void;

const MARKS: Readonly<Record<Readiness["state"], string>> = {
  ready: "✓",
  missing: "✗",
  wrong: "✗",
  unknown: "?",
  skipped: "-",
};

export function registerPrepare(program: Cobra, tools: VisorTools): void {
  program
    .command("prepare")
    .aliases(["prepare-upgrade"])
    .summary("Fetch and check what the next upgrade needs, before its height")
    .description(
      "Takes the first upgrade that is ahead, as `plan` prints it. What the chain has scheduled is in the state of the home; of another\n" +
        "project's chain its node is asked (gRPC at DAEMON_GRPC_ADDRESS, else RPC; else data/upgrade-info.json counts). Fetches this\n" +
        "machine's program and the handler where they are not in their places, verifies and runs them (`version`), and prints what is\n" +
        "ready. DAEMON_ALLOW_DOWNLOAD_BINARIES need not be set: to call this command is to allow it. Exit 0: ready; 30: not ready.",
    )
    .option("--plan <file>", "a file in the form of upgrade-info.json, in place of the first that is ahead")
    .example("prepare", "prepare --plan ./v2.json -o json")
    .action(async ({ plan: file }: Flags) => {
      const settings = ofLastSupervisor(realMachine.files, tools.settings());
      const { output } = tools;
      const { plan, from, chain } = await planToPrepare(settings, file, output.say);
      if (!plan) {
        await output.print({ plan: null, from, readiness: [] }, "No active upgrade plan found");
        return;
      }
      const staged = await prepare(settings, { plan, chain }, tools);
      const { fetched = null } = staged;
      const readiness = [...staged.readiness, ...(await besides(settings, plan, staged.readiness))];
      const answer = { plan: { ...plan, height: String(plan.height) }, from, readiness, fetched };
      await output.print(answer, textOf(plan, from, readiness));
      if (!isReady(readiness)) {
        const lacking = readiness.filter(isLacking).map(({ what }) => what);
        output.say(`the upgrade is not prepared: ${lacking.join(", ")}`);
        tools.setExitStatus(NOT_READY_EXIT);
      }
    });
}

interface PlanToPrepare extends ScheduledPlan {
  /** The plan that the node returned, where it was asked. */
  readonly chain?: Plan | undefined;
}

/**
 * The first of the upgrades that `plan`, `doctor` and `status` report. What the chains of other projects have scheduled only their
 * nodes know.
 * @throws UpgradeError UPG_REMOTE_UNAVAILABLE: neither the node nor a file names a plan; UPG_INVALID_CONFIG: the file does not contain a plan
 */
async function planToPrepare(settings: Settings, file: string | undefined, say: Say): Promise<PlanToPrepare> {
  if (file !== undefined) return { plan: planInFile(file), from: file };
  const found = await statusOf(settings, realMachine);
  const isStateRead = (await storeHeight(settings.home)) !== undefined;
  const asked = isStateRead ? undefined : await planOfNode(settings, say);
  const { plans } = await upcomingOf(found, settings, realMachine.files, asked?.plan);
  // The node's own word counts more than a file, which may be stale or written ahead.
  const next = plans.find((each) => !asked || each.origin === "operator" || isSame(each, asked.plan));
  const chain = asked?.plan;
  if (next?.origin === "operator") return { plan: planOnly(next), from: "the heights that the operator set", chain };
  if (asked) return { ...asked, chain };
  if (isStateRead) return { plan: next && planOnly(next), from: `the state of ${settings.home}` };
  const path = placesOf(settings).planFile;
  const written = planIn(realMachine.files, path, settings.isCaseKept);
  if (next) return { plan: planOnly(next), from: isSame(next, written) ? path : "the sidecar that runs" };
  if (written) return { plan: undefined, from: `${path}, which is applied or was skipped` };
  const { grpcAddress: grpc, rpcAddress: rpc } = settings;
  throw new UpgradeError(
    "UPG_REMOTE_UNAVAILABLE",
    `no plan is known: the node answers neither at ${grpc} (gRPC) nor at ${rpc} (RPC), and ${path} is no plan. Start the node, or give the plan with --plan FILE`,
  );
}

const planOnly = ({ name, height, info }: Plan): Plan => ({ name, height, info });

const isSame = (one: Plan, other: Plan | undefined) => other !== undefined && isSamePlan(one, other);

/** Undefined: it does not respond, and `say` has printed why. */
async function planOfNode(settings: Settings, say: Say): Promise<ScheduledPlan | undefined> {
  const { home, grpcAddress, rpcAddress } = settings;
  const problems: string[] = [];
  const own = ofOwnChain(askRpc, { machine: realMachine, home, log: () => undefined });
  for (const ask of [() => planByGrpc(grpcAddress), () => planByRpc(rpcAddress, own)]) {
    try {
      return await ask();
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  for (const problem of problems) say(`failed to query upgrade info: failed to query current upgrade plan: ${problem}`);
  return undefined;
}

function planInFile(file: string): Plan {
  requireInputFile(file);
  const read = readPlanFile(realMachine.files, file, true);
  if (read.kind === "plan") return read.plan;
  throw new UpgradeError("UPG_INVALID_CONFIG", read.kind === "torn" ? `${file}: ${read.why}` : `${file} is missing`);
}

/** What only the sidecar sees, and that none runs. */
async function besides(settings: Settings, plan: Plan, own: readonly Readiness[]): Promise<readonly Readiness[]> {
  const found = await statusOf(settings, realMachine);
  const isOfPlan = found.status.plan === null || found.status.plan.height === String(plan.height);
  const isNew = ({ what }: Readiness) => isOfPlan && !own.some((each) => each.what === what);
  const lacking = [...lackingOf(found).filter(isNew), ...supervisionReadiness(realMachine.files, settings)];
  const nobody = lacking.length === 0 ? unsupervised(realMachine.files, settings) : undefined;
  return nobody === undefined ? lacking : [{ what: "sidecar", state: "skipped", detail: nobody, next: null }];
}

async function prepare(
  settings: Settings,
  plans: Pick<StagePlanOptions, "plan" | "chain">,
  tools: VisorTools,
): Promise<StagedPlan> {
  const lock = HomeLock.acquire(prepareLock(settings));
  const ending = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals) => {
    stoppedBy ??= signal;
    ending.abort(new Error("it was ended by a signal"));
  };
  for (const signal of STOP_SIGNALS) process.on(signal, end);
  const progress = new ProgressLine(tools.io.stderr, tools.output.isJson);
  try {
    return await stagePlan({
      ...{ ...plans, machine: realMachine, signal: ending.signal, partSuffix: PREPARE_SUFFIX },
      settings: { ...settings, isDownloadAllowed: true },
      env: childEnv({ settings, env: tools.env }),
      log: commandLog(tools.reporter, settings, (line) => progress.say(line)),
      onProgress: (what, done, total) => progress.show(what, done, total),
    });
  } finally {
    progress.end();
    lock.release();
    for (const signal of STOP_SIGNALS) process.off(signal, end);
    // What follows would run programs again.
    if (stoppedBy) endBySignal(stoppedBy);
  }
}

/** One line of a terminal, written again and again; on what is no terminal there is none. */
class ProgressLine {
  #at = 0;
  #isShown = false;

  constructor(
    private readonly stderr: Io["stderr"],
    private readonly isJson: boolean,
  ) {}

  show(what: string, done: number, total: number | undefined): void {
    const now = performance.now();
    if (this.isJson || !this.stderr.isTTY || now - this.#at < 200) return;
    this.#at = now;
    this.#isShown = true;
    const of =
      total === undefined ? "" : ` of ${mebibytes(total)} (${Math.floor((done / Math.max(total, 1)) * 100)} %)`;
    this.stderr.write(`\r\u001b[K${what}: ${mebibytes(done)}${of}`);
  }

  say(line: string): void {
    this.end();
    this.stderr.write(line);
  }

  end(): void {
    if (this.#isShown) this.stderr.write("\r\u001b[K");
    this.#isShown = false;
  }
}

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`;

function textOf({ name, height }: Plan, from: string, readiness: readonly Readiness[]): string {
  const lines = readiness.flatMap(({ what, state, detail, next }) => [
    `  ${MARKS[state]} ${what.padEnd(11)} ${state.padEnd(7)} ${visible(detail)}`,
    ...(next === null ? [] : [`      next: ${next}`]),
  ]);
  return [`plan "${visible(name)}" at height ${height}, from ${from}`, ...lines].join("\n");
}

/** @param address `host:port`, or `https://host:port` with TLS. @throws UpgradeError UPG_REMOTE_* */
async function planByGrpc(address: string): Promise<ScheduledPlan> {
  if (address === "") throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", "gRPC address is empty");
  const isInsecure = !address.startsWith("https://");
  const client = new GrpcClient(address, { isInsecure, timeoutMillis: PLAN_MILLIS_MAX });
  const bytes = await client.unary(CURRENT_PLAN_METHOD, new Uint8Array(), 0n);
  return { plan: planOf(() => bytes), from: `the node's gRPC, ${address}` };
}
