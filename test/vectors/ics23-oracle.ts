/** `@confio/ics23` as an independent judge of our proofs. It is old and frozen: an oracle for tests, not a verifier. */
import { iavlSpec, ics23, tendermintSpec, verifyMembership, verifyNonMembership } from "@confio/ics23";

/** Does the proof show that `key` has `value` (undefined: is absent) under `root`? */
export function verifyWithOracle(
  proof: Uint8Array,
  root: Uint8Array,
  key: Uint8Array,
  value: Uint8Array | undefined,
  spec: "iavl" | "tendermint" = "iavl",
): boolean {
  const proofSpec = spec === "iavl" ? iavlSpec : tendermintSpec;
  try {
    const decoded = ics23.CommitmentProof.decode(proof);
    return value
      ? verifyMembership(decoded, proofSpec, root, key, value)
      : verifyNonMembership(decoded, proofSpec, root, key);
  } catch {
    return false;
  }
}
