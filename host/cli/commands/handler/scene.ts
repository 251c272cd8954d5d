/** `chaind handler scene --state HOME`: a scene for `handler test` from what a chain has committed. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseHeight, parsePositive } from "../../../base/terminal/options.js";
import { usage } from "../../../base/terminal/usage.js";
import { fromHex, toHex, utf8 } from "../../../base/text/bytes.js";
import { Home } from "../../../node/home/home.js";
import { outFile, writeOutFile } from "../../author/out-file.js";
import { partsOf, sceneFromState, sceneText } from "../../author/state-scene.js";
import { openHandlerFile } from "../../author/wasm-file.js";
import type { Context } from "../../flags/context.js";
import { outputFile } from "../../offline/output-file.js";

interface SceneOptions {
  readonly state: string;
  readonly out: string;
  readonly store?: readonly string[];
  readonly prefix: string;
  readonly handler?: string;
  readonly limit: number;
  readonly height?: bigint;
}

export function registerScene(handler: Cobra, context: Context): void {
  handler
    .command("scene")
    .summary("Make a scene of the state of a chain")
    .description(
      "Writes pairs, module versions, height and time of a home as a scene for `handler test`: of the stores that are named,\n" +
        "or of all that a handler declares. Nothing is written in the home, and a node may run in it meanwhile.",
    )
    .requiredOption("--state <home>", "home of the chain")
    .option("--store <name...>", "a store to take pairs of; again for each further one")
    .option("--prefix <hex>", "only keys that begin with this", "")
    .option("--handler <file>", "the stores and prefixes that this handler declares")
    .option("--limit <count>", "most pairs of each store and prefix", parsePositive, 100)
    .option("--height <height>", "state of this height (default: the last one)", parseHeight)
    .requiredOption("--out <file>", "where to write the scene")
    .example("handler scene --state node --store bank --prefix 02 --limit 20 --out fixtures/real.json")
    .action(async (options: SceneOptions) => {
      const { state: home, height, limit, out, handler: file } = options;
      const inputs = file === undefined ? [] : [file];
      outputFile(new Home(home), outFile(out, inputs));
      const { fixture, cut, ...made } = sceneFromState({ home, height, limit, parts: partsWanted(options) });
      writeOutFile(out, utf8(sceneText(fixture)), inputs);
      for (const { store, prefix } of cut) context.say(`${store} ${toHex(prefix)}…: the first ${limit} pairs of more`);
      const stores = Object.keys(fixture.stores ?? {});
      const text = `${out}  ${made.pairs} pairs of ${stores.join(", ")} at height ${made.height}`;
      await context.print({ file: out, height: String(made.height), pairs: String(made.pairs), stores }, text);
    });
}

function partsWanted({ store = [], prefix, handler }: SceneOptions) {
  if (!/^([0-9a-fA-F]{2})*$/.test(prefix)) throw usage(`--prefix ${prefix}: expected an even number of hex digits`);
  if (handler === undefined && store.length === 0) throw usage("name stores with --store, or a handler with --handler");
  const declared = handler === undefined ? [] : partsOf(openHandlerFile(handler).manifest);
  return [...declared, ...store.map((name) => ({ store: name, prefix: fromHex(prefix) }))];
}
