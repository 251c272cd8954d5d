/** `tx upgrade attest` and `withdraw-attestation`: what an operator says of a plan, from flags, a handler's file, a report. */

import { existsSync } from "node:fs";
import { UpgradeError } from "../../../base/errors/errors.js";
import { Query as UpgradeQuery } from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { usage } from "../../../base/terminal/usage.js";
import { fromHex, toHex, toUpperHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import type { Chain } from "../../../chain/app/chain.js";
import { attestation, attestationWithdrawal } from "../../../chain/modules/upgrade/compose.js";
import { Home } from "../../../node/home/home.js";
import type { Context } from "../../flags/context.js";
import { ask } from "../../wallet/ask.js";
import { rpcClient } from "../flags.js";
import { type AppliedReport, appliedReport, plansForAdvice, requireKnown, requireOwn } from "./attested-report.js";
import type { TxFlags } from "./flags.js";
import { checkedHandler } from "./plan-handler.js";
import { rehearseAdvice } from "./rehearse-advice.js";
import type { NamedPlans } from "./rehearsed-chain.js";
import { send } from "./send.js";

export interface AttestFlags extends TxFlags {
  /** The file that its node would run; its hash is attested. */
  readonly handler?: string;
  /** The hash itself, for another artifact. */
  readonly artifactSha256?: string;
  readonly appHash?: string;
  readonly at?: bigint;
  /** A report of `upgrade rehearse`, which has the last two, and the hash; true: the one that the home keeps. */
  readonly rehearsal?: string | true;
}

interface Statement {
  readonly artifactSha256: Uint8Array;
  readonly appHash: Uint8Array;
  readonly rehearsedHeight: bigint;
}

/**
 * @param given the plan; undefined: the scheduled one
 * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_HANDLER_*, UPG_NOT_FOUND_KEY, UPG_NOT_FOUND_PLAN, UPG_REMOTE_*
 */
export async function runAttest(given: string | undefined, flags: AttestFlags, context: Context): Promise<void> {
  const { chain } = context;
  const plan = given ?? (await scheduledName(flags));
  const plansNamed = () => plansForAdvice(flags, plan);
  const file = await reportFile(plan, flags, plansNamed);
  const report = file === undefined ? undefined : await appliedReport(file, { plan, home: flags.home, plansNamed });
  const statement = statementOf(chain, plan, flags, report);
  await send(flags, context, async ({ address }, rpc) => {
    if (rpc) await requireKnown(rpc, { flags, plan, report });
    else if (report) requireOwn(report, { chainId: flags.chainId || undefined }, flags.home);
    if (file !== undefined) context.say(saidOf(statement, file));
    return [attestation({ validatorAddress: operatorOf(chain, address), plan, ...statement })];
  });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_NOT_FOUND_PLAN, UPG_REMOTE_* */
async function scheduledName(flags: TxFlags): Promise<string> {
  if (flags.offline) throw usage("name the plan: with --offline no node is asked which one is scheduled");
  const { plan } = await ask(rpcClient(flags), UpgradeQuery.method.currentPlan, {});
  if (plan) return plan.name;
  throw new UpgradeError("UPG_NOT_FOUND_PLAN", "no plan is scheduled: name the one that an open proposal is for");
}

export async function runWithdrawAttestation(plan: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  await send(flags, context, ({ address }) => [attestationWithdrawal(operatorOf(chain, address), plan)]);
}

function operatorOf(chain: Chain, account: string): string {
  const { decodeAny, operators } = chain.addresses;
  return operators.encode(decodeAny(account));
}

/** A flag names it; where none says anything, it is the one that the home keeps. @throws UpgradeError UPG_INVALID_ARGUMENT */
async function reportFile(
  plan: string,
  flags: AttestFlags,
  plansNamed: () => Promise<NamedPlans | undefined>,
): Promise<string | undefined> {
  const { handler, artifactSha256, appHash, at, rehearsal } = flags;
  if (rehearsal !== undefined && rehearsal !== true) return rehearsal;
  const kept = new Home(flags.home).rehearsalFile(plan);
  if (existsSync(kept)) {
    const saysNothing = [handler, artifactSha256, appHash, at].every((each) => each === undefined);
    return rehearsal || saysNothing ? kept : undefined;
  }
  if (!rehearsal) return undefined;
  const wanted = { home: flags.home, plans: await plansNamed(), handler, at };
  const advice = rehearseAdvice(wanted, "makes one, --rehearsal FILE names another");
  throw usage(`this home keeps no rehearsal of "${visible(plan)}": ${advice}`);
}

function saidOf({ artifactSha256, appHash, rehearsedHeight }: Statement, report: string): string {
  return `attests ${report}: sha256 ${toHex(artifactSha256)}, app hash ${toUpperHex(appHash)} on block ${rehearsedHeight}`;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT where the flags say too little, or two things */
function statementOf(chain: Chain, plan: string, flags: AttestFlags, report: AppliedReport | undefined): Statement {
  const { handler, artifactSha256, appHash, at } = flags;
  const artifacts = [
    ...(handler === undefined ? [] : [checkedHandler(chain, handler, plan).sha256]),
    ...(artifactSha256 === undefined ? [] : [toHex(hash32(artifactSha256, "--artifact-sha256"))]),
    ...(report?.handlerSha256 === undefined ? [] : [report.handlerSha256]),
  ];
  const [artifact, ...others] = new Set(artifacts);
  if (artifact === undefined)
    throw usage("say with what: --handler FILE, --artifact-sha256 HEX, or --rehearsal of a handler's file");
  if (others.length > 0) throw usage(`the flags name different files: sha256 ${[artifact, ...others].join(", ")}`);
  if ((appHash === undefined) !== (at === undefined))
    throw usage("--app-hash is what a rehearsal came to, and --at the last block of its state: give both");
  const given = appHash === undefined ? undefined : { appHash: hash32(appHash, "--app-hash"), height: at ?? 0n };
  const rehearsed = report && { appHash: fromHex(report.appHash.toLowerCase()), height: report.state.height };
  return { artifactSha256: fromHex(artifact), ...resultOf(given, rehearsed) };
}

interface Result {
  readonly appHash: Uint8Array;
  /** Last block of the state on which it was made. */
  readonly height: bigint;
}

function resultOf(given: Result | undefined, report: Result | undefined) {
  if (given && report && (toHex(given.appHash) !== toHex(report.appHash) || given.height !== report.height))
    throw usage("--app-hash and --at differ from the report of --rehearsal: give one of them");
  const result = given ?? report;
  return { appHash: result?.appHash ?? new Uint8Array(), rehearsedHeight: result?.height ?? 0n };
}

function hash32(text: string, flag: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return fromHex(text.toLowerCase());
  throw usage(`${flag} must be 64 hexadecimal digits, got ${visible(JSON.stringify(text.slice(0, 100)))}`);
}
