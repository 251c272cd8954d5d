/**
 * Empty blocks of one validator with stock CometBFT that waits for nothing: `chaind start --engine cometbft` with all its threads and
 * servers, and CometBFT's own kvstore: in CometBFT's process and memory, and as a program of its own at the same kind of socket. None
 * of the two syncs anything. They take turns on one disk.
 */
import { abciCli, cometbft } from "../../test/e2e/cometbft.js";
import {
  blockMicros,
  kvstoreValidator,
  ownValidator,
  socketKvstoreValidator,
  type Validator,
} from "../comet/block-rate.js";

const ROUNDS = Number(process.argv[2]);
const MILLIS = 3_000;

const [comet, client] = [cometbft(), abciCli()];
if (!comet || !client)
  throw new Error("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
const own = await ownValidator("dist/chaind.js", comet);
const inProcess = await kvstoreValidator(comet);
const atSocket = await socketKvstoreValidator(comet, client);
const validators: readonly Validator[] = [inProcess, atSocket, own];
const micros = new Map<Validator, number[]>(validators.map((each) => [each, []]));
try {
  for (let round = 0; round < ROUNDS; round++) {
    const turned = validators.map((_, at) => validators[(at + round) % validators.length] as Validator);
    for (const each of turned) micros.get(each)?.push(await blockMicros(each, MILLIS));
  }
  const of = (validator: Validator) => micros.get(validator) ?? [];
  const share = (other: Validator) => of(own).map((value, round) => (100 * (of(other)[round] ?? 0)) / value);
  process.stdout.write(
    JSON.stringify([
      ...validators.map((each) => ({ row: each.name, unit: "µs/block", samples: of(each) })),
      ...validators.map((each) => ({
        row: `${each.name}, rate`,
        unit: "blocks/s",
        samples: of(each).map((value) => 1e6 / value),
      })),
      { row: "of kvstore's rate", unit: "%", samples: share(inProcess) },
      { row: "of kvstore's, socket", unit: "%", samples: share(atSocket) },
    ]),
  );
} finally {
  await Promise.all(validators.map((each) => each.remove()));
}
