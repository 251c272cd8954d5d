/**
 * Who is called from below. Imports only point down (layers.test.ts); a call points up where a function or an object of a
 * higher room was handed to a lower one. Measured on a node that takes a MsgSend, makes its block and commits it: every
 * function of host/ and examples/ notes its entry and exit (calls/). The floors are those of docs/rooms.json.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { floorsOf, readRooms } from "../../scripts/rooms.mjs";
import { traced } from "./calls/traced.js";
import { ROOT } from "./sources.js";

/** The three that an ordinary block has, and the functions that are called by them. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  // `Module`: a chain runs the messages, checks and end blockers of the modules that it was defined with.
  "chain → modules": /^host\/modules\/\w+\/(messages|ante|module)\.ts#/,
  "chain → gov": /^host\/gov\/module\.ts#/,
  // `ChunkSource` and `ChunkSink`: a tree reads the pages that it walks, and gives away those that it made.
  "commitment → store": /^host\/store\/disk\/chunk-space\.ts#(chunk|put)$/,
};

const floors = floorsOf(readRooms());
/** Rooms of host/; what a chain is defined with is above them all, and the ground floor below. */
const roomOf = (place: string) => (place.startsWith("host/") ? (place.split("/")[1] as string) : "examples");
const floorOf = (room: string) => floors.get(room) ?? Number.POSITIVE_INFINITY;
/** The traps replace functions of the runtime: a call of `Date.now` is no call of a room. */
const isTraced = (path: string) =>
  /^(host\/(?!gen\/)[\w-]+|examples)\/.*(?<!-wasm)\.ts$/.test(path) && path !== "host/chain/determinism/traps.ts";

async function callsOfABlock(): Promise<string[]> {
  const outfile = join(ROOT, `build/run/calls-${process.pid}.mjs`);
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    ...{ entryPoints: [join(ROOT, "test/house/calls/block.ts")], outfile, bundle: true, ignoreAnnotations: true },
    ...{ platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "error" },
    // First of all, whatever order imports are in.
    inject: [join(ROOT, "test/house/calls/trace.ts")],
    alias: { "chain-upgrade/node": join(ROOT, "host/node.ts"), "chain-upgrade": join(ROOT, "host/index.ts") },
    plugins: [
      {
        name: "traced",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const name = relative(ROOT, path).replaceAll("\\", "/");
            const text = readFileSync(path, "utf8");
            return { contents: isTraced(name) ? traced(name, text) : text, loader: "ts" };
          }),
      },
    ],
  });
  try {
    return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8", maxBuffer: 2 ** 26 }));
  } finally {
    rmSync(outfile, { force: true });
  }
}

test("a block with one MsgSend, made and committed → at most 3 kinds of calls go up, each to the functions named here", async () => {
  const calls = (await callsOfABlock()).map((call) => call.split(" → ") as [string, string]);
  const upward = new Map<string, Set<string>>();
  for (const [caller, callee] of calls) {
    const [from, to] = [roomOf(caller), roomOf(callee)];
    if (floorOf(to) <= floorOf(from)) continue;
    const kind = `${from} → ${to}`;
    upward.set(kind, (upward.get(kind) ?? new Set()).add(callee));
  }
  expect([...upward.keys()].sort()).toEqual(Object.keys(ALLOWED).sort());
  const others = [...upward].flatMap(([kind, callees]) => [...callees].filter((each) => !ALLOWED[kind]?.test(each)));
  expect(others).toEqual([]);
  expect(upward.size).toBeLessThanOrEqual(3);
});
