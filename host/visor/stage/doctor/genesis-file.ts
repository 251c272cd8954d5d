/** The genesis document of a home that has no block yet: a chain may not begin with it. */
import { basename, join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import { childEnv } from "../../decide/child-env.js";
import { isOfOtherVersion } from "../../decide/decision/after-end.js";
import type { NodeFacts } from "../../decide/heights/node-facts.js";
import type { Machine } from "../../decide/machine.js";
import type { Settings } from "../../decide/settings.js";
import { isOurHome } from "../plan-way.js";
import { genesisProblem } from "../probe.js";
import { type Finding, type Patient, wrong } from "./finding.js";

/** Databases of a node that has run, by CometBFT and by the Cosmos SDK. */
const OTHERS = ["blockstore.db", "application.db"];

/** Asks the current program. Returns undefined when the document is good, or the home has blocks. */
export async function unusableGenesis(settings: Settings, real: Machine, node: NodeFacts): Promise<string | undefined> {
  const { files } = real;
  const { home, root, name } = settings;
  const isBegun = (node.reached?.height ?? 0n) > 0n || OTHERS.some((each) => files.facts(join(home, "data", each)));
  if (isBegun || !files.facts(join(home, "config", "genesis.json"))) return undefined;
  const folder = files.linkFacts(join(root, "current")) ? "current" : "genesis";
  return genesisProblem({
    ...{
      program: { name: folder, folder, file: join(root, folder, "bin", name) },
      home,
      isOurs: isOurHome(files, home),
    },
    ...{ env: childEnv({ settings, env: process.env }), files, processes: real.processes },
    signal: new AbortController().signal,
  });
}

/**
 * Puts the document of the chain in place of one with which no chain begins, or the program for its app version in place of the current
 * one.
 * @param message of the program
 */
export function genesisCommand(
  message: string,
  settings: Pick<Settings, "home" | "name" | "root">,
  files: Files,
): string {
  if (!isOfOtherVersion(message)) return `cp GENESIS.json ${shellWord(join(settings.home, "config", "genesis.json"))}`;
  const link = join(settings.root, "current");
  const folder = files.linkFacts(link)?.kind === "link" ? basename(files.readLink(link)) : "genesis";
  const command = chainvisorFor(settings);
  return folder === "genesis"
    ? `${command} init PROGRAM --force`
    : `${command} add-upgrade ${shellWord(folder)} PROGRAM --force`;
}

export function genesisFindings({ genesis, read, files }: Patient): Finding[] {
  if (genesis === undefined) return [];
  const { name, home } = read.settings;
  const add = `${shellWord(name)} genesis add-account KEY COINS --validator --home ${shellWord(home)}`;
  const way = isOfOtherVersion(genesis)
    ? "Put a program in place that knows this version, or the document of the chain"
    : `Replace it with the chain's document; for a new chain, add a validator with \`${add}\``;
  const detail = `no chain begins with this genesis document: ${genesis}. ${way}`;
  return [wrong("genesis", detail, genesisCommand(genesis, read.settings, files))];
}
