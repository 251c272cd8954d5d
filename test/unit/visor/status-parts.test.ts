import { describe, expect, it } from "vitest";
import type { VisorStatus } from "../../../host/visor/decide/status.js";
import { HeightsSeen } from "../../../host/visor/status/heights-seen.js";
import { metricsText } from "../../../host/visor/status/metrics-text.js";
import { statusLines } from "../../../host/visor/status/status-text.js";
import { SUPERVISOR_POLICY, supervisorPage } from "../../../host/visor/status/supervisor-page.js";

const EVIL = '</code><script>alert(1)</script>\u202e"\n# HELP x';

export const WAITING: VisorStatus = {
  v: 1,
  phase: "waiting",
  since: "2026-01-01T00:00:00.000Z",
  program: { name: "genesis", file: "/var/lib/chain/cosmovisor/genesis/bin/chaind", pid: 7 },
  height: { value: "900", source: "rpc" },
  plan: { name: EVIL, height: "1000", info: EVIL, origin: "chain" },
  eta: { seconds: 500, plus_minus: 20 },
  progress: null,
  readiness: [
    { what: "program", state: "missing", detail: "no file", next: "chainvisor prepare" },
    { what: "disk", state: "ready", detail: "9 GiB", next: null },
  ],
  upgrades: 2,
  restarts: 1,
  message: "the program is missing",
  next: ["chainvisor prepare"],
};

describe("HeightsSeen", () => {
  const seen = (count: number, millis: number) => {
    const heights = new HeightsSeen();
    for (let at = 0; at <= count; at++) heights.see(BigInt(at + 1), at * millis);
    return heights;
  };

  it("eta() after 100 blocks of 5 s, 10 blocks before → 50 s ± a block", () => {
    expect(seen(100, 5_000).eta(111n, 500_000)).toEqual({ seconds: 50, plusMinus: 5, silentSeconds: undefined });
  });

  it("eta() later → less, and silence is reported where no block came", () => {
    expect(seen(100, 5_000).eta(111n, 520_000)?.seconds).toBe(30);
    expect(seen(100, 5_000).eta(111n, 600_000)).toMatchObject({ seconds: 0, silentSeconds: 100 });
  });

  it("eta() of a height that is reached, or with one height seen → undefined", () => {
    expect(seen(100, 5_000).eta(101n, 500_000)).toBeUndefined();
    expect(seen(0, 5_000).eta(11n, 500_000)).toBeUndefined();
  });

  it("see() of a lower height → what was seen before does not count", () => {
    const heights = seen(100, 5_000);
    heights.see(50n, 600_000);
    expect(heights.blocks).toBe(0n);
  });

  it("see() 100,000 times → the estimate is that of the pace, the memory bounded", () => {
    const heights = seen(100_000, 1_000);
    expect(heights.eta(100_011n, 100_000_000)).toMatchObject({ seconds: 10 });
  });

  it("begin() with blocks of the node → an estimate at once", () => {
    const heights = new HeightsSeen();
    heights.see(101n, 500_000);
    heights.begin([{ height: 81n, nanos: 400_000_000_000n }]);
    expect(heights.eta(111n, 500_000)).toMatchObject({ seconds: 50 });
  });
});

describe("metricsText()", () => {
  const text = metricsText({
    ...{ status: WAITING, totals: { downloadBytes: 5, backupBytes: 6 }, lastHaltSeconds: 0.25 },
    ...{ diskFree: [["home", 7]], now: 1_000_000 },
  });

  it("status → one line a sample, each family with HELP and TYPE; a name that would end its line does not", () => {
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) chain_upgrade_sidecar_\w+ .+|chain_upgrade_sidecar_\w+(?:\{.*\})? -?[0-9.]+)$/,
      );
    }
    expect(text).toContain(String.raw`\\u202e\"\\u000a# HELP x`);
    expect(text.match(/sidecar_readiness\{.* 1\n/g)).toHaveLength(WAITING.readiness.length);
    for (const { what, state, next } of WAITING.readiness) {
      expect(text).toContain(`what="${what}",state="${state}",next="${next ?? ""}"} 1\n`);
    }
  });

  it("phase → a set of states, one of them 1", () => {
    const states = text.match(/^chain_upgrade_sidecar_phase\{.*$/gm) ?? [];
    expect(states).toHaveLength(11);
    expect(states.filter((line) => line.endsWith(" 1"))).toEqual(['chain_upgrade_sidecar_phase{phase="waiting"} 1']);
  });

  it("figures → as given; what is not known is left out", () => {
    expect(text).toMatch(/_left_seconds\{.*\} 500\n/);
    expect(text).toMatch(/_ready\{.*\} 0\n/);
    expect(text).toContain("chain_upgrade_sidecar_last_halt_seconds 0.25\n");
    expect(text).toContain("chain_upgrade_sidecar_download_bytes_total 5\n");
    expect(text).toContain('chain_upgrade_sidecar_disk_free_bytes{folder="home"} 7\n');
    expect(text).not.toMatch(/^chain_upgrade_sidecar_progress_done /m);
  });
});

describe("supervisorPage()", () => {
  const page = supervisorPage({ status: WAITING, silentSeconds: 95, time: "2026-01-01T00:00:00.000Z" });

  it("a name with markup → text; one script and one style, whose hashes the policy has", () => {
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("\u202e");
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(SUPERVISOR_POLICY).toMatch(/default-src 'none'.*style-src 'sha256-.*script-src 'sha256-/);
  });

  it("phase, time left, silence, what is missing, the next command → all on the page without a script", () => {
    for (const words of ["something is missing", "8 min 20 s ±20 s", "1 min 35 s", "✗ missing", "chainvisor prepare"]) {
      expect(page).toContain(words);
    }
  });

  it("asked to be still → it is not loaded again", () => {
    expect(page).toContain('http-equiv="refresh"');
    expect(supervisorPage({ status: WAITING, silentSeconds: undefined, time: "" }, true)).not.toMatch(
      /refresh|<script/,
    );
  });
});

describe("statusLines()", () => {
  it("status → a line for each thing, no control character", () => {
    const lines = statusLines({ status: WAITING, silentSeconds: undefined, time: "" });
    expect(lines).toContain("phase:       waiting, since 2026-01-01T00:00:00.000Z");
    expect(lines).toContain("left:        8 min 20 s ±20 s");
    expect(lines).toContain("program:     missing  no file");
    expect(lines.slice(-2)).toEqual(["next:", "  chainvisor prepare"]);
    expect(lines.join("")).not.toMatch(/\n|\u202e/);
  });
});
