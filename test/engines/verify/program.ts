/** What an engine is asked to do with `chain-upgrade/verify`: claims, forged evidence, and a run. Uses nothing of the engine itself. */

type Verify = typeof import("chain-upgrade/verify");

/** JSON with integers and bytes in texts: `n:12`, `x:00ff`. */
function revived(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown) => {
    if (typeof value !== "string") return value;
    if (value.startsWith("n:")) return BigInt(value.slice(2));
    if (!value.startsWith("x:")) return value;
    const bytes = new Uint8Array((value.length - 2) / 2);
    for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(value.slice(2 + 2 * at, 4 + 2 * at), 16);
    return bytes;
  });
}

export interface EngineData {
  readonly evidence: string;
  /** Its last signature is another one. */
  readonly forged: string;
  readonly trust: Parameters<Verify["verifyEvidence"]>[1];
  readonly run: Parameters<Verify["reExecute"]>[0];
}

/** A line for each of them. Never rejects. */
export async function report(verify: Verify, json: string): Promise<string> {
  const { evidence, forged, trust, run } = revived(json) as EngineData;
  const failed = (error: unknown) => (verify.isUpgradeError(error) ? `${error.code} ${error.message}` : String(error));
  const claims = verify
    .verifyEvidence(evidence, trust)
    .then(({ claims: found }) => found.map(({ state, words }) => `${state} ${words}`).join(" "), failed);
  const refused = verify.verifyEvidence(forged, trust).then(() => "believed", failed);
  const ran = verify.reExecute(run).then(({ plan, gas }) => `plan ${plan}, gas ${gas}`, failed);
  return [`claims: ${await claims}`, `forged: ${await refused}`, `run: ${await ran}`].join("\n");
}
