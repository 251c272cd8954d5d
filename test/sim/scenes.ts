/** What the simulator plays: a home as it is before something happens, and the processes that go through it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import { bankOf } from "../../host/chain/modules/bank/bank.js";
import type { EmbeddedNode } from "../../host/node/embedded/embedded-node.js";
import { makeBlocksUpTo, makeHome, schedule, withNode } from "../e2e/prepared-home.js";
import { build, data, guest } from "../guest/build.js";
import { genesisText, testAddress } from "../scenario/genesis-text.js";

/** One process, from its start to the end it comes to when nobody kills it. */
export interface Step {
  /** Options of `chaind start`. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly exits: readonly number[];
  /** Always killed while it writes its one block, and not started again: the next step makes another block instead. */
  readonly isInterrupted?: boolean;
}

export interface Scene {
  readonly name: string;
  /** Rounds out of a hundred. */
  readonly share: number;
  /** Makes the home. `handlers`: the program's own. */
  prepare(path: string, handlers: string): void;
  readonly steps: readonly Step[];
  /** What upgrade-info.json says when it is there. */
  readonly upgradeInfo: string | undefined;
  /** The simulator writes the beginning of an upgrade-info.json before the first process. */
  readonly plantsTornInfo?: boolean;
  /** Its first process applies the upgrade. */
  readonly appliesFirst?: boolean;
}

const HALT = 10;
const HALT_HEIGHT = 13;
const RESTART = 14;

/** The new version, until it has made block `height`. */
const newVersion = (height: number, ...args: string[]): Step => ({
  args: ["--halt-height", String(height + 1), ...args],
  exits: [HALT_HEIGHT],
});

const oldVersion = (version: number): Step => ({ args: ["--app-version", String(version)], exits: [HALT] });

const infoFile = (name: string, height: number) =>
  `{"name":"${name}","time":"0001-01-01T00:00:00Z","height":${height}}`;

/** A chain of version 1 that schedules `v2` in its first block. */
function planned(height: bigint, upTo: bigint): Scene["prepare"] {
  return (path, handlers) => {
    makeHome(path, genesisText());
    withNode({ path, handlers, appVersion: 1n }, (node) => {
      schedule(node, { name: "v2", height });
      makeBlocksUpTo(node, upTo);
    });
  };
}

/** A block whose writes leave nodes of earlier blocks behind. */
function busyBlock(node: EmbeddedNode): void {
  const bank = bankOf(node.app.version);
  node.makeBlock([
    (context) => {
      for (let i = 0n; i < 8n; i++) {
        const to = testAddress(`busy ${(context.height * 3n + i) % 20n}`);
        bank.mint(context.stores, to, [{ denom: "ustake", amount: context.height + i }]);
      }
    },
  ]);
}

function prepareBusy(path: string, handlers: string): void {
  makeHome(path, genesisText());
  withNode({ path, handlers, appVersion: 1n }, (node) => {
    for (let i = 0; i < 25; i++) busyBlock(node);
    schedule(node, { name: "v2", height: 28n });
    makeBlocksUpTo(node, 27n);
  });
}

/** The handler of `v3`: what was renamed is changed, what is new gets a pair. */
const V3_MANIFEST = {
  name: "v3",
  stores: [
    { name: "power", access: "rw" },
    { name: "oracle", access: "rw" },
  ],
  storeUpgrades: { added: ["oracle"], renamed: [{ old_key: "staking", new_key: "power" }], deleted: ["gov"] },
  versions: { oracle: { to: 1 } },
  removes: ["gov", "staking"],
  allows: { removeModules: ["gov", "staking"] },
};

const SET = "(call $set (i32.const STORE) (i32.const KEY) (i32.const 4) (i32.const 64) (i32.const 8)) (drop)";
const set = (store: number, key: number) => SET.replace("STORE", String(store)).replace("KEY", String(key));

function v3Handler(): Uint8Array {
  const wat = guest({
    imports: `(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))
      (import "chain" "store_delete" (func $delete (param i32 i32 i32) (result i32)))`,
    run: `${set(0, 16)} ${set(1, 20)} (drop (call $delete (i32.const 0) (i32.const 24) (i32.const 4))) (i32.const 0)`,
    more: `${data(16, "new1new2old1")} ${data(64, "a value ")}`,
  });
  return build(wat, V3_MANIFEST);
}

/** Writes of 512 KiB each, under the keys `1new`, `2new`…: 24 MiB of them. */
function spillingHandler(): Uint8Array {
  const wat = guest({
    imports: `(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))`,
    run: `(local $left i32) (local.set $left (i32.const 48))
      (loop $again
        (i32.store8 (i32.const 16) (local.get $left))
        (i32.store (i32.const 524288) (local.get $left))
        (drop (call $set (i32.const 1) (i32.const 16) (i32.const 4) (i32.const 524288) (i32.const 524288)))
        (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.const 0)`,
    more: data(16, "1new"),
  });
  return build(wat, V3_MANIFEST);
}

/** A chain of version 2 before the upgrade block 8 of `v3`; `pairs` fill the store that is renamed. */
function beforeV3(pairs: number, valueBytes: number, handler = v3Handler()): Scene["prepare"] {
  return (path, handlers) => {
    planned(3n, 2n)(path, handlers);
    withNode({ path, handlers, appVersion: 2n }, (node) => {
      node.makeBlock();
      node.makeBlock([
        (context) => {
          const store = context.store("staking");
          store.set(utf8("old1"), utf8("goes away"));
          for (let i = 0; i < pairs; i++) {
            store.set(concatBytes(utf8("filler"), Uint8Array.of(i >> 8, i)), new Uint8Array(valueBytes).fill(i));
          }
        },
      ]);
      schedule(node, { name: "v3", height: 8n });
      makeBlocksUpTo(node, 7n);
    });
    mkdirSync(join(path, "handlers"));
    writeFileSync(join(path, "handlers", "v3.wasm"), handler);
  };
}

export const SCENES: readonly Scene[] = [
  {
    name: "upgrade",
    share: 26,
    prepare: planned(6n, 5n),
    steps: [newVersion(9)],
    upgradeInfo: undefined,
    appliesFirst: true,
  },
  {
    name: "torn-info",
    share: 8,
    prepare: planned(6n, 5n),
    steps: [newVersion(9)],
    upgradeInfo: infoFile("v2", 6),
    plantsTornInfo: true,
  },
  {
    name: "halt",
    share: 20,
    prepare: planned(6n, 3n),
    steps: [oldVersion(1), newVersion(8)],
    upgradeInfo: infoFile("v2", 6),
  },
  {
    name: "next-block",
    share: 8,
    prepare: (path) => makeHome(path, genesisText()),
    // A process that is killed after block 3 is followed by one that applies at once.
    steps: [
      { args: ["--halt-height", "7"], env: { SIM_SCHEDULE: "3:v2:4" }, exits: [RESTART, HALT_HEIGHT] },
      newVersion(6),
    ],
    upgradeInfo: infoFile("v2", 4),
  },
  {
    name: "genesis",
    share: 10,
    prepare: (path) => makeHome(path, genesisText()),
    steps: [{ args: ["--app-version", "1", "--halt-height", "4"], exits: [HALT_HEIGHT] }],
    upgradeInfo: undefined,
  },
  {
    name: "rename",
    share: 12,
    prepare: beforeV3(300, 40),
    steps: [newVersion(10)],
    upgradeInfo: undefined,
    appliesFirst: true,
  },
  // The renamed store is written again: more than what a commit holds in memory, so some of it is staged before.
  {
    name: "rename-large",
    share: 4,
    prepare: beforeV3(12, 1_000_000),
    steps: [newVersion(9)],
    upgradeInfo: undefined,
    appliesFirst: true,
  },
  // The handler writes more than a branch keeps in memory: some of it is spilled to files while it runs.
  {
    name: "spilled",
    share: 3,
    prepare: beforeV3(1, 40, spillingHandler()),
    steps: [newVersion(8)],
    upgradeInfo: undefined,
    appliesFirst: true,
  },
  {
    name: "given-up",
    share: 2,
    prepare: beforeV3(12, 1_000_000),
    steps: [
      { ...newVersion(8), isInterrupted: true },
      { args: ["--app-version", "2", "--unsafe-skip-upgrades", "8", "--halt-height", "11"], exits: [HALT_HEIGHT] },
    ],
    upgradeInfo: undefined,
  },
  {
    name: "pruned",
    share: 10,
    prepare: prepareBusy,
    steps: [newVersion(31, "--keep-versions", "1")],
    upgradeInfo: undefined,
  },
];
