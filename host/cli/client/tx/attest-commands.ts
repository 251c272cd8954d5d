/** The commands of attestations, in chains whose module upgrade has the messages. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseInt64 } from "../../../base/terminal/options.js";
import { ATTEST_URL } from "../../../chain/modules/upgrade/compose.js";
import type { Context } from "../../flags/context.js";
import type { AttestFlags } from "./attest.js";
import { addTxFlags, type TxFlags } from "./flags.js";

export function registerAttestations(upgrade: Cobra, context: Context): void {
  const { chain } = context;
  if (!chain.router.has(ATTEST_URL)) return;
  registerAttest(upgrade, context);
  addTxFlags(upgrade.command("withdraw-attestation"))
    .argument("<upgrade-name>", "name of the plan")
    .summary("Take back what the validator attested of a plan")
    .description("The account of --from operates the validator.")
    .example("tx upgrade withdraw-attestation v2 --from alice")
    .action(async (name: string, _: unknown, command: Cobra) =>
      (await import("./attest.js")).runWithdrawAttestation(name, command.optsWithGlobals<TxFlags>(), context),
    );
}

function registerAttest(upgrade: Cobra, context: Context): void {
  addTxFlags(upgrade.command("attest"))
    .argument("[upgrade-name]", "name of a plan that an open proposal names (default: the scheduled one)")
    .summary("Attest with which file a validator is ready for a plan, and what its rehearsal came to")
    .description(
      "The account of --from operates a bonded validator. What it attests is in state: everybody sees before the height how\n" +
        "much power would run the same file with the same result (query upgrade readiness). Each validator has one\n" +
        "attestation; another one replaces it. Results are compared where all rehearsed on the state of the same block.\n" +
        "Without flags it attests the rehearsal that the home keeps (upgrade rehearse). The node is asked whether a rehearsal\n" +
        "is of its chain, of this plan's height and info, and on a state of that chain. A rehearsal with findings is refused\n" +
        "unless it accepts them (upgrade rehearse --accept).",
    )
    .option("--handler <file>", "the upgrade handler that its node would run")
    .option("--artifact-sha256 <hex>", "SHA-256 of another file that its node would run, such as the program")
    .option("--app-hash <hex>", "app hash that the rehearsal came to; with --at")
    .option("--at <height>", "last block of the state that was rehearsed on", parseInt64)
    .option(
      "--rehearsal [file]",
      "a report of `upgrade rehearse`, which has all of these (default: the one in the home)",
    )
    .example(
      "tx upgrade attest --from alice",
      "tx upgrade attest v2 --rehearsal v2.json --from alice",
      "tx upgrade attest v2 --handler v2.wasm --app-hash 96361A95…ACE9 --at 1200 --from alice",
    )
    .action(async (name: string | undefined, _: unknown, command: Cobra) =>
      (await import("./attest.js")).runAttest(name, command.optsWithGlobals<AttestFlags>(), context),
    );
}
