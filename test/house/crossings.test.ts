/**
 * Who is called from below. Imports only point down (layers.test.ts); a call points up where a function or an object of a
 * higher folder was handed to a lower one. Measured on a node that takes a MsgSend, makes its block and commits it, and on the
 * block of an upgrade: every function of host/ and examples/ notes its entry and exit (calls/).
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { placeOf, readLayers } from "../../scripts/layers.mjs";
import { traced } from "./calls/traced.js";
import { ROOT } from "./sources.js";

/** Calls into a higher folder, and the functions that they reach: those of every block. */
const EVERY: Readonly<Record<string, RegExp>> = {
  // `Module`: a chain runs the messages, invariants, probes and blockers of the modules that it was defined with.
  "chain/app → chain/modules": /^host\/chain\/modules\/\w+\//,
  // `ChunkSource` and `ChunkSink`: a tree reads the pages that it walks, and gives away those that it made.
  "state/commitment → state/store": /^host\/state\/store\/disk\/chunk-space\.ts#(chunk|put)$/,
};
const ORDINARY: Readonly<Record<string, RegExp>> = {
  // The mempool checks again what waits, and asks how much room a block has; a proposal asks which transactions fit.
  "node/blocks → node/embedded": /^host\/node\/embedded\/embedded-node\.ts#(room|check|prepare)$/,
};
const UPGRADE: Readonly<Record<string, RegExp>> = {
  // Typed records decode a value with the function of their module; invariants walk over them.
  "chain/values → chain/modules": /#(check|read)$/,
  // Probes read through stores that count what they read.
  "state/branch → chain/values": /^host\/chain\/values\/gas\.ts#(store|depth|get)$/,
  // The record of the code that runs is written with the commit.
  "state/store → upgrade/module": /^host\/upgrade\/module\/commit-options\.ts#write$/,
};

const { layers } = readLayers();
/** Folder of host/; what a chain is defined with is above them all. */
const folderOf = (place: string) => (place.startsWith("host/") ? place.split("/").slice(1, 3).join("/") : "examples");
const heightOf = (place: string) => {
  const found = placeOf(layers, place.split("#")[0] as string);
  return found ? -(100 * found.layer + found.at) : Number.POSITIVE_INFINITY;
};
/** They only run the function that they are given: the call is their caller's. */
const WRAPPERS = /^host\/base\/errors\/(synchronous|engine-limit)\.ts$/;
/** The traps replace functions of the runtime: a call of `Date.now` is no call of a folder. */
const isTraced = (path: string) =>
  !WRAPPERS.test(path) &&
  /^(host\/(?!base\/gen\/)[\w-]+|examples)\/.*(?<!-wasm)\.ts$/.test(path) &&
  path !== "host/chain/determinism/traps.ts";

async function callsOfBlocks(): Promise<{ ordinary: string[]; upgrade: string[] }> {
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
    return JSON.parse(
      execFileSync(process.execPath, [outfile, join(ROOT, "dist/handlers")], { encoding: "utf8", maxBuffer: 2 ** 26 }),
    );
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** Kinds of calls that go up, as `folder → folder`, with the functions that they reach. */
function upward(calls: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const call of calls) {
    const [caller, callee] = call.split(" → ") as [string, string];
    if (heightOf(callee) <= heightOf(caller)) continue;
    const kind = `${folderOf(caller)} → ${folderOf(callee)}`;
    found.set(kind, (found.get(kind) ?? new Set()).add(callee));
  }
  return found;
}

test("calls that go up: the ones listed here, in an ordinary block and in the block of an upgrade; at most two kinds to a higher layer", async () => {
  const { ordinary, upgrade } = await callsOfBlocks();
  for (const [calls, allowed] of [
    [ordinary, { ...EVERY, ...ORDINARY }],
    [upgrade, { ...EVERY, ...UPGRADE }],
  ] as const) {
    const kinds = upward(calls);
    expect([...kinds.keys()].sort()).toEqual(Object.keys(allowed).sort());
    expect([...kinds].flatMap(([kind, to]) => [...to].filter((each) => !allowed[kind]?.test(each)))).toEqual([]);
    const isHigherLayer = (kind: string) => {
      const [from, to] = kind.split(" → ").map((folder) => folder.split("/")[0]);
      return from !== to;
    };
    expect([...kinds.keys()].filter(isHigherLayer).length).toBeLessThanOrEqual(2);
  }
});
