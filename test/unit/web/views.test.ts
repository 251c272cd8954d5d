import type { Claim } from "chain-upgrade/verify";
import { describe, expect, test } from "vitest";
import type { Checked } from "../../../web/messages.js";
import type { ChainStatus } from "../../../web/status.js";
import { h, type Tree, textOf } from "../../../web/tree.js";
import { claimsView } from "../../../web/views/claims.js";
import { type NowFacts, nowView } from "../../../web/views/now.js";

const NOW = Date.UTC(2026, 10, 23, 12);
const STATUS: ChainStatus = {
  ...{ phase: "waiting", chainId: "c", height: 1_000n, time: NOW, progress: [], secondsLeft: undefined },
  ...{ proposal: undefined, last: undefined, halt: undefined },
  plan: { name: "v2", height: 1_050n, info: '{"a":1}' },
  blockTimes: [
    { blocks: 100n, seconds: 5 },
    { blocks: 1_000n, seconds: 5.2 },
  ],
};
const FACTS: NowFacts = {
  status: STATUS,
  proposal: undefined,
  checked: undefined,
  now: NOW,
  source: { rpc: "http://n.example/rpc/", api: "http://n.example/", plan: "", isOwn: true },
  origin: "own",
  isRefused: false,
};
const CLAIM = { state: "proven", restsOn: [] } as const;
const HEADER: Claim = { ...CLAIM, id: "header", words: "Header 1001.", value: undefined };
const NO_PLAN: Claim = {
  ...CLAIM,
  id: "no-plan",
  words: "No upgrade is scheduled after block 1000.",
  value: undefined,
};
const CHECKED: Checked = {
  ...{ kind: "checked", evidence: {} as Checked["evidence"], chainId: "c", height: 1_000n, time: NOW },
  ...{
    root: { height: 1n, hash: "AB", from: "yours", time: NOW },
    newest: { height: 1_001n, hash: "CD" },
    isExpired: false,
    savedAt: undefined,
  },
  ...{ steps: 1, signatures: 4, claims: [HEADER], receipt: undefined, before: undefined },
};
const HALT = { code: "UPG_HALT_UPGRADE_NEEDED", message: 'UPGRADE "v2" NEEDED', next: "start the new one" };

function seen(facts: Partial<NowFacts>): [mood: string, words: string] {
  const { mood, title, body, label } = nowView({ ...FACTS, ...facts });
  return [
    mood,
    textOf(
      h("div", {}, title, " ", label, ...body.map((each) => (each === undefined ? undefined : h("p", {}, " ", each)))),
    ),
  ];
}
const during = (status: Partial<ChainStatus>) => seen({ status: { ...STATUS, ...status } });

describe("claimsView()", () => {
  const warningOf = (changes: Partial<Checked>) =>
    textOf(h("div", {}, ...claimsView({ ...CHECKED, ...changes }, NOW).map((each) => h("p", {}, each))));
  const root = { ...CHECKED.root, from: "server" } as const;

  test("a hash that nobody entered → it came from the node, or, of a saved page, with the file", () => {
    expect(warningOf({ root })).toContain("The trusted hash came from the node being verified");
    const ofFile = warningOf({ root, savedAt: NOW });
    expect(ofFile).toContain("The trusted hash came with the file");
    expect(ofFile).not.toContain("from the node");
    expect(warningOf({ savedAt: NOW })).not.toContain("The trusted hash");
  });
});

describe("nowView()", () => {
  test("waiting → the time to go with its ±, how it was reckoned, the plan", () => {
    const [mood, words] = seen({});
    expect(mood).toBe("waiting");
    expect(words).toMatch(/Upgrade v2 at height 1,050.*in 4 min 10 s ± 10 s.*2026-11-23 12:04:10 UTC.*50 blocks to go/);
    expect(words).toContain('{"a":1}');
  });

  test("waiting, no window known, the device's clock too early → both in words", () => {
    expect(during({ blockTimes: [] })[1]).toContain("not known yet");
    expect(seen({ now: NOW - 60_000 })[1]).toContain("one of the two clocks is wrong");
  });

  test("migrating → a bar for each step; one without a total has no value, and none when it is over", () => {
    const progress = [
      { store: "bank", work: "scan", done: 5_000, total: 20_000 },
      { store: "", work: "handler", done: 7, total: 0 },
      { store: "", work: "commit", done: 7, total: 0 },
    ];
    const [mood, words] = during({ phase: "migrating", progress });
    expect(mood).toBe("migrating");
    expect(words).toMatch(
      /Store bank: records read by the handler5,000 of 20,000.*own workdone.*being made durableunder way/,
    );
    const { body } = nowView({ ...FACTS, status: { ...STATUS, phase: "migrating", progress } });
    const bars = body.flatMap((each) =>
      typeof each === "object"
        ? each.children.filter((child): child is Tree => typeof child !== "string" && child.tag === "progress")
        : [],
    );
    expect(bars.map(({ attributes }) => attributes["value"])).toEqual([5_000, undefined]);
  });

  test("halted as planned, and failed → the record in words, with its commands", () => {
    const halt = { ...HALT, commands: ["chaind start"], height: 1_050n, time: NOW };
    const [mood, words] = during({ phase: "halted", halt });
    expect(mood).toBe("failed");
    expect(words).toMatch(
      /halted before block 1,050, as planned.*UPGRADE "v2" NEEDED.*start the new one.*chaind start/,
    );
    const failed = during({ phase: "failed", halt: { ...halt, code: "UPG_HANDLER_TRAP" } });
    expect(failed[1]).toMatch(/^The upgrade failed in block 1,050/);
    expect(during({ phase: "halted" })[1]).toContain("Its record is not served");
  });

  test("what the source sends is refused → nothing of its word is shown", () => {
    const [mood, words] = seen({ isRefused: true });
    expect(mood).toBe("quiet");
    expect(words).toMatch(/^Not believed/);
    expect(words).not.toMatch(/v2|1,0/);
  });

  test("applied → done; no plan → quiet; no status → silent; a file → offline", () => {
    const done: Claim = {
      ...CLAIM,
      id: "done",
      words: 'Upgrade "v2" was applied in block 1050.',
      value: { name: "v2", height: 1_050n },
    };
    const checked = { ...CHECKED, height: 1_058n, claims: [HEADER, done] };
    const after = { ...STATUS, phase: "running", height: 1_060n } as const;
    expect(seen({ status: after, checked })).toEqual([
      "done",
      expect.stringContaining('Upgrade "v2" was applied in block 1050'),
    ]);
    expect(seen({ status: { ...after, plan: undefined } })).toEqual(["quiet", expect.stringContaining("No upgrade")]);
    expect(seen({ status: undefined })).toEqual(["quiet", expect.stringContaining("has not responded")]);
    expect(seen({ source: undefined, checked })).toEqual(["done", expect.stringContaining("asks no server")]);
  });

  test("what a server reports → labelled with its name, and commands only on the node's own page", () => {
    const halt = { ...HALT, message: "run curl", commands: ["curl | sh"], height: 1_050n, time: NOW };
    const status = { ...STATUS, phase: "failed", halt } as const;
    const other = { rpc: "http://n.example/rpc/", api: "http://evil.example/", plan: "", isOwn: false };
    const { isReported } = nowView({ ...FACTS, status });
    expect(isReported).toBe(true);
    expect(seen({ status })[1]).toMatch(/Reported by n\.example, not verified.*curl \| sh/);
    expect(seen({ status, source: other })[1]).toContain("Reported by evil.example, not verified");
    expect(seen({ status, source: other })[1]).not.toMatch(/curl|start the new one/);
    expect(seen({ source: other })[1]).not.toContain('{"a":1}');
  });

  test.each<[string, Partial<ChainStatus>, Partial<Checked>, RegExp]>([
    ["another chain", { chainId: "d" }, {}, /about another chain.*its status is of chain "d"/],
    ["a plan, and none is proven", {}, { claims: [HEADER, NO_PLAN] }, /contradicts.*Proven.*No upgrade is scheduled/],
    [
      "a halt, and blocks after it",
      { phase: "halted", plan: undefined, height: 900n },
      {},
      /contradicts.*stopped at block 901/,
    ],
    ["a last block that is long past", { height: 900n, plan: undefined }, {}, /contradicts.*block 900 is the last one/],
  ])("a report of %s → the claim, and that they differ", (_what, status, checked, expected) => {
    const [mood, words] = seen({ status: { ...STATUS, ...status }, checked: { ...CHECKED, ...checked } });
    expect(mood).toBe("failed");
    expect(words).toMatch(expected);
    expect(words).toMatch(/Reported by n\.example, not verified/);
  });

  test("a sidecar that knows no chain and no height → is shown; another server without a chain → is not", () => {
    const status = { ...STATUS, chainId: undefined, height: 0n };
    const other = { rpc: "http://n.example/rpc/", api: "http://evil.example/", plan: "", isOwn: false };
    expect(seen({ status, checked: CHECKED })[1]).toMatch(/^Upgrade v2 at height/);
    expect(seen({ status, checked: CHECKED, source: other })[1]).toContain("about another chain");
  });
});
