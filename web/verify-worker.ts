/** The worker that collects and verifies: everything that the page claims comes from here. */
import {
  type Ask,
  type Claims,
  type CollectOptions,
  collect,
  type Evidence,
  isUpgradeError,
  readLightBlock,
  rpcPath,
  rpcResult,
  type TrustRoot,
  verifyEvidence,
} from "chain-upgrade/verify";
import { messageOf, UpgradeError } from "../host/base/errors/errors.js";
import { decodeReceipt } from "../host/upgrade/handler/receipt.js";
import { parseJson } from "../host/verify/json.js";
import { Deadline } from "./deadline.js";
import { fetchJson } from "./fetching.js";
import { members, text } from "./json.js";
import type {
  Checked,
  ReceiptView,
  RunAsked,
  TrustedHeaders,
  VerifyAsked,
  VerifySaid,
  VersionsView,
} from "./messages.js";
import { hexOf, millisOf } from "./number-text.js";
import { refusalOf } from "./refusal.js";
import { remembered } from "./remembered.js";
import { TRUSTING_DAYS, type TypedTrust } from "./trust.js";

const DAY_SECONDS = 86_400;

/** Begins to take questions. */
export function listen(): void {
  addEventListener("message", ({ data }: MessageEvent<VerifyAsked | RunAsked>) => {
    // The program of a run is put after this one in the same worker.
    if (data.kind === "run") return;
    done(data)
      .catch(refusalOf)
      .then((said) => postMessage(said));
  });
}

function done(asked: VerifyAsked): Promise<VerifySaid> {
  return asked.kind === "claims" ? claims(asked) : headers(asked);
}

/** @throws UpgradeError UPG_REMOTE_UNAVAILABLE, UPG_REMOTE_REFUSED */
const askOf =
  (rpc: string): Ask =>
  async (method, params) => {
    const url = rpc + rpcPath(method, params);
    const response = await fetchJson(url).catch((cause: unknown) => {
      throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `${method}: ${messageOf(cause)}`, { cause });
    });
    return rpcResult(method, response);
  };

const now = () => {
  const millis = Date.now();
  return { seconds: BigInt(Math.floor(millis / 1_000)), nanos: (millis % 1_000) * 1_000_000 };
};

/** An honest source has it all in seconds; one that holds each answer back does not keep the page waiting for ever. */
const COLLECT_MILLIS_MAX = 180_000;
type CollectAsked = Pick<CollectOptions, "rootHeight" | "height" | "plan">;

const collected = (rpc: string, known: Evidence | undefined, options: CollectAsked) => {
  const deadline = new Deadline(COLLECT_MILLIS_MAX, `it took longer than ${COLLECT_MILLIS_MAX / 1_000} s`);
  const { signal } = deadline;
  const ask = known ? remembered(askOf(rpc), known) : askOf(rpc);
  return collect(ask, { ...options, source: rpc, now: now(), signal }).finally(() => deadline.end());
};

async function claims({ of, trust }: Extract<VerifyAsked, { kind: "claims" }>): Promise<Checked> {
  if ("evidence" in of) return verified(documentOf(of.evidence), trust, true);
  const { rpc, plan, upgradeHeight } = of;
  const options = plan === "" ? {} : { plan };
  const whole = (rootHeight: bigint | undefined) =>
    orAnew(of.known, async (known) => verified(await collected(rpc, known, { ...options, rootHeight }), trust, false));
  if (trust) return whole(trust.height);
  // From the upgrade's own block on, the state before it can be shown too, where the server still has it.
  const first = await whole(upgradeHeight).catch((error: unknown) => {
    if (upgradeHeight === undefined) throw error;
    return undefined;
  });
  if (first === undefined) return whole(undefined);
  const height = lastUpgrade(first);
  if (height === undefined || first.root.height <= height) return first;
  return whole(height).catch(() => first);
}

/** A chain may have begun again since the earlier evidence, which then goes with nothing of what it sends now. */
async function orAnew<T>(known: Evidence | undefined, work: (known: Evidence | undefined) => Promise<T>): Promise<T> {
  try {
    return await work(known);
  } catch (error) {
    if (known === undefined || !isUpgradeError(error) || !error.code.startsWith("UPG_PROOF_")) throw error;
    return work(undefined);
  }
}

/** Of any shape; verified like everything else. @throws UpgradeError UPG_PROOF_MALFORMED when it is no JSON, or too large */
function documentOf(evidence: unknown): Evidence {
  return (typeof evidence === "string" ? parseJson(evidence) : evidence) as Evidence;
}

function lastUpgrade({ claims }: Pick<Claims, "claims">): bigint | undefined {
  const heights = claims.flatMap((claim) => (claim.id === "done" ? (claim.value?.height ?? []) : []));
  return heights.reduce<bigint | undefined>(
    (most, each) => (most === undefined || each > most ? each : most),
    undefined,
  );
}

async function headers({ of, trust }: Extract<VerifyAsked, { kind: "headers" }>): Promise<TrustedHeaders> {
  const isSaved = "evidence" in of;
  const judgedOf = async (evidence: Evidence) => ({ evidence, ...(await judged(evidence, trust, isSaved)) });
  // Header of the block and of the next. A root after them cannot reach back.
  const {
    evidence,
    claims: judgedClaims,
    isExpired,
  } = isSaved
    ? await judgedOf(documentOf(of.evidence))
    : await orAnew(of.known, async (known) => {
        const { rpc, height } = of;
        return judgedOf(await collected(rpc, known, { rootHeight: trust?.height ?? height, height }));
      });
  const { trusted, height, claims: found } = judgedClaims;
  const next = trusted.lightBlock.signedHeader.header;
  const all = evidence.light_blocks.map(
    ({ signed_header, validators }) => readLightBlock(signed_header, validators).signedHeader.header,
  );
  const block = all.find((each) => each.height === height);
  if (!block) throw new Error(`the evidence has no header ${height}`);
  const state = found.find(({ id }) => id === "header")?.state ?? "unproven";
  return { kind: "headers", evidence, block, next, state, isExpired };
}

interface Judged {
  readonly claims: Claims;
  /** It verifies only as of when the file says that it was collected. */
  readonly isExpired: boolean;
}

/**
 * By the reader's clock. A file is kept for longer than validators can be held to account; what an older one shows is only as
 * good as the time in it, which its author chose.
 */
async function judged(evidence: Evidence, trust: TypedTrust | undefined, isSaved: boolean): Promise<Judged> {
  const root = rootOf(evidence, trust);
  const options = { root, now: now(), trustingPeriod: BigInt((trust?.days ?? TRUSTING_DAYS) * DAY_SECONDS) };
  try {
    return { claims: await verifyEvidence(evidence, options), isExpired: false };
  } catch (error) {
    const saved = isSaved && isExpiry(error) ? savedAtOf(evidence) : undefined;
    if (saved === undefined) throw error;
    const then = { seconds: BigInt(Math.floor(saved / 1_000)), nanos: 0 };
    return { claims: await verifyEvidence(evidence, { ...options, now: then }), isExpired: true };
  }
}

const savedAtOf = (evidence: unknown) => millisOf(members(evidence)["collected_at"]);

const isExpiry = (error: unknown) => isUpgradeError(error) && error.details?.["reason"] === "expired";

function rootOf(evidence: Evidence, trust: TypedTrust | undefined): TrustRoot {
  const document = members(evidence);
  const chainId = text(document["chain_id"]) ?? "";
  if (trust) {
    const hash = Uint8Array.from(trust.hash.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
    return { chainId, height: trust.height, hash, from: trust.from };
  }
  const { height, hash } = members(document["root"]);
  const bytes = Uint8Array.from(atob(text(hash) ?? ""), (each) => each.charCodeAt(0));
  return { chainId, height: BigInt(text(height) ?? "0"), hash: bytes, from: "server" };
}

async function verified(evidence: Evidence, trust: TypedTrust | undefined, isSaved: boolean): Promise<Checked> {
  const { claims: found, isExpired } = await judged(evidence, trust, isSaved);
  const { chainId, height, trusted, claims } = found;
  const { height: rootHeight, hash, from } = rootOf(evidence, trust);
  const { header, commit } = trusted.lightBlock.signedHeader;
  const { seconds } = header.time;
  const before = claims.find(({ id }) => id === "versions-before");
  return {
    kind: "checked",
    ...{ evidence, chainId, height, claims, steps: trusted.steps, signatures: trusted.signatures },
    ...{ isExpired, savedAt: isSaved ? savedAtOf(evidence) : undefined, time: Number(seconds) * 1_000 },
    root: { height: rootHeight, hash: hexOf(hash), from, time: timeOf(evidence, rootHeight) },
    newest: { height: header.height, hash: hexOf(commit.blockId.hash) },
    receipt: receiptOf(claims),
    before: before?.id === "versions-before" && before.value ? versionsBefore(before, evidence) : undefined,
  };
}

/** Of a header that was verified. */
function timeOf({ light_blocks }: Evidence, height: bigint): number {
  const headers = light_blocks.map(({ signed_header }) => members(members(signed_header)["header"]));
  return millisOf(headers.find((header) => text(header["height"]) === String(height))?.["time"]) ?? 0;
}

function versionsBefore(
  { state, value }: Extract<Claims["claims"][number], { id: "versions-before" }>,
  evidence: Evidence,
): VersionsView {
  return { state, height: BigInt(evidence.before?.height ?? 0), versions: value ?? new Map() };
}

/** The receipt is proven; what it says is read here. */
function receiptOf(claims: Claims["claims"]): ReceiptView | undefined {
  const claim = claims.find(({ id }) => id === "receipt");
  if (claim?.id !== "receipt" || !claim.value) return undefined;
  const { plan, height, handlerSha256, gas, gasSchedule, stores, checks } = decodeReceipt(claim.value.bytes);
  return {
    ...{ plan, height, gas, gasSchedule, checks },
    handler: hexOf(handlerSha256).toLowerCase(),
    stores: stores.map(({ rootBefore, rootAfter, ...counts }) => ({
      ...{ name: counts.name, written: counts.written, deleted: counts.deleted, bytes: counts.bytes },
      ...{ rootBefore: hexOf(rootBefore), rootAfter: hexOf(rootAfter) },
    })),
  };
}
