import { describe, expect, test } from "vitest";
import type { ChainStatus } from "../../../web/status.js";
import { h, type Tree, textOf } from "../../../web/tree.js";
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
  applied: undefined,
  now: NOW,
  isOffline: false,
  isRefused: false,
};
const HALT = { code: "UPG_HALT_UPGRADE_NEEDED", message: 'UPGRADE "v2" NEEDED', next: "start the new one" };

function seen(facts: Partial<NowFacts>): [mood: string, words: string] {
  const { mood, title, body } = nowView({ ...FACTS, ...facts });
  return [
    mood,
    textOf(h("div", {}, title, ...body.map((each) => (each === undefined ? undefined : h("p", {}, " ", each))))),
  ];
}
const during = (status: Partial<ChainStatus>) => seen({ status: { ...STATUS, ...status } });

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
    const applied = { name: "v2", height: 1_050n };
    const after = { ...STATUS, phase: "running", height: 1_060n } as const;
    expect(seen({ status: after, applied })).toEqual(["done", expect.stringContaining("applied in block 1,050")]);
    expect(seen({ status: { ...after, plan: undefined } })).toEqual(["quiet", expect.stringContaining("No upgrade")]);
    expect(seen({ status: undefined })).toEqual(["quiet", expect.stringContaining("has not responded")]);
    expect(seen({ isOffline: true, applied })).toEqual(["done", expect.stringContaining("It asks no server")]);
  });
});
