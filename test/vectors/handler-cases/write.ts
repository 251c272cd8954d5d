/** What handler-cases.json holds. */
import type { WrittenVectors } from "../writers.js";
import { Collection } from "./collection.js";
import { addExamples } from "./examples.js";
import { addHostile } from "./hostile.js";

export function handlerCases(): WrittenVectors {
  const all = new Collection();
  addExamples(all);
  addHostile(all);
  const { guests, inputs, cases } = all;
  return { head: { source: "chain-upgrade", note: "runs of handlers; see README.md", guests, inputs }, cases };
}
