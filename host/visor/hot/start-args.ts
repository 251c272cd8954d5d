/** The application's arguments, where CometBFT is the sidecar's: what goes to CometBFT, and what to the worker. */
import { COMET_FLAGS } from "../../abci/comet/flags.js";

export interface StartArgs {
  /** Undefined: COMETBFT_BIN, else that of PATH. */
  readonly program: string | undefined;
  readonly comet: readonly string[];
  /** Of `start`. */
  readonly worker: readonly string[];
}

/** The relay names these itself. */
const OWN: ReadonlySet<string> = new Set(["home", "engine", "with-comet", "transport", "address"]);
const OF_COMET: ReadonlySet<string> = new Set([...COMET_FLAGS, "moniker", "rpc.laddr"]);
/** Flags whose value is in the same word, or left out. */
const SWITCHES: ReadonlySet<string> = new Set([
  ...["with-comet", "consensus.create_empty_blocks", "p2p.pex", "p2p.seed_mode"],
]);

/** Undefined: they are not those of a `start` with CometBFT's engine that this program would start itself. */
export function startArgs(args: readonly string[]): StartArgs | undefined {
  const [command, ...rest] = args;
  if (command !== "start") return undefined;
  const given: { program?: string; engine?: string; isAlone?: boolean } = {};
  const comet: string[] = [];
  const worker: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    const [, name = "", inWord] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const isKnown = OWN.has(name) || OF_COMET.has(name) || name === "comet.bin";
    if (!isKnown) {
      worker.push(word);
      continue;
    }
    const value = inWord ?? (SWITCHES.has(name) ? "true" : (rest[++at] ?? ""));
    if (name === "engine") given.engine = value;
    if (name === "with-comet") given.isAlone = value === "false";
    if (name === "comet.bin") given.program = value;
    if (OF_COMET.has(name)) comet.push(`--${name}=${value}`);
  }
  return given.engine === "cometbft" && !given.isAlone ? { program: given.program, comet, worker } : undefined;
}
