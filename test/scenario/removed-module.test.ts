/** A module that an upgrade removes while its store stays: the version map decides that it runs no more, wherever the program would run it. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { notesChain } from "../../examples/notes-chain/chain.js";
import { Query as NotesQuery, QueryNotesRequestSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { notes } from "../../examples/notes-chain/notes.js";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { App } from "../../host/chain/app/app.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import type { Module } from "../../host/chain/app/module.js";
import { queryNode } from "../../host/cli/rehearsal/block/query-node.js";
import { localReceipt } from "../../host/node/home/local-receipt.js";
import { appliedFields } from "../../host/node/threads/worker-side.js";
import { Query } from "../../host/serve/query/query.js";
import type { AppliedUpgrade } from "../../host/upgrade/module/hooks.js";
import { load } from "../guest/build.js";
import { Program } from "./notes-program.js";

const END_TIME = { seconds: 1_900_000_000n, nanos: 0 };
const MAX_GAS = 77_000_000n;

/** The module of notes with every function that a module may have outside messages and queries, and what was called. */
function watchedChain() {
  const calls: string[] = [];
  const watched: Module = {
    ...notes,
    // Each function is called once: none is tried on less stack.
    isBounded: true,
    beginBlock: () => void calls.push("begin"),
    endBlock: () => void calls.push("end"),
    nextEndTime: () => END_TIME,
    consensusParams: (_stores, genesis) => ({ ...genesis, block: { ...genesis.block, maxGas: MAX_GAS } }),
    invariants: [{ name: "watched", check: () => void calls.push("invariant") }],
    probe: () => void calls.push("probe"),
  };
  const others = notesChain.modules.filter(({ name }) => name !== "notes");
  const chain = defineChain({ name: "watchedd", addressPrefix: "notes", modules: [...others, watched] });
  return { chain, calls };
}

const removal = load({}, { name: "out", removes: ["notes"], allows: { keepStores: ["notes"] } });
const next = load({}, { name: "next" });
const cleared = load({}, { name: "cleared", storeUpgrades: { deleted: ["notes"] } });
const back = load({}, { name: "back", storeUpgrades: { added: ["notes"] }, versions: { notes: { to: 2 } } });

const register = ({ keeper }: App) => {
  for (const handler of [removal, next, cleared, back]) keeper.setWasmHandler(handler, { isOfHome: true });
};

function started() {
  const { chain, calls } = watchedChain();
  return { program: new Program(chain, register), calls };
}

/** What the module was called for since the last look. */
const taken = (calls: string[]) => calls.splice(0).join(" ");

async function queried({ app, genesis }: Program, height = 0n): Promise<string> {
  const { chainId, bondDenom, time } = genesis;
  const lastHeight = app.lastCommitID.version;
  const node = queryNode({ chainId, consensusParams: app.consensusParams, lastHeight, time });
  const facts = { app, node, sha256, bondDenom, stakingParams: undefined, compatCosmos: true };
  const query = new Query({ chain: app.chain, ...facts });
  const method = query.method(`/${NotesQuery.typeName}/Notes`);
  if (!method) throw new Error("no method Notes");
  try {
    await query.call(method, create(QueryNotesRequestSchema), height);
    return "ok";
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

describe("a module is removed and its store stays", () => {
  test("its hooks, invariants and probe run up to the upgrade, and no more in its block or after", () => {
    const { program, calls } = started();
    program.block();
    expect(taken(calls)).toBe("begin end");
    program.through("next");
    expect(taken(calls)).toBe("begin end invariant probe begin end");
    const { applied } = program.through("out");
    const probes = { passed: ["bank", "staking", "gov"], skipped: ["notes"] };
    expect(applied?.probes).toEqual(probes);
    const block = { height: 5n, milliseconds: 1, appHash: Uint8Array.of(1) };
    const of = applied as AppliedUpgrade;
    expect(appliedFields(of, block)).toMatchObject({ plan: "out", probes_skipped: "notes", app_hash: "01" });
    const whole = { ...of, probes: { ...probes, skipped: [] } };
    expect(appliedFields(whole, block)).not.toHaveProperty("probes_skipped");
    expect(localReceipt({ ...block, applied: of, appHashBefore: block.appHash }).probes).toEqual(probes);
    expect(taken(calls)).toBe("begin end");
    program.block();
    program.start();
    program.block();
    expect(program.app.multiStore.names).toContain("notes");
    expect(taken(calls)).toBe("");
  });

  test("what it says of time and of consensus is asked no more, by a process of before and by one that starts", () => {
    const { program } = started();
    program.block();
    expect(program.app.nextEndTime).toEqual(END_TIME);
    expect(program.app.consensusParams.block.maxGas).toBe(MAX_GAS);
    const { paramUpdates } = program.through("out");
    expect(paramUpdates?.block.maxGas).toBe(program.app.consensusParams.block.maxGas);
    for (let again = 0; again < 2; again++) {
      expect(program.app.nextEndTime).not.toEqual(END_TIME);
      expect(program.app.consensusParams.block.maxGas).not.toBe(MAX_GAS);
      const { version } = program.app.lastCommitID;
      expect(program.app.consensusParamsFor(version).block.maxGas).toBe(MAX_GAS);
      program.start();
    }
  });

  test("its messages → refused (sdk 2), with the module's name; nothing is written, and the sequence stays", () => {
    const { program } = started();
    program.block();
    expect(program.addNote("one")).toMatchObject({ code: 0 });
    program.through("out");
    for (let again = 0; again < 2; again++) {
      const refused = program.addNote("two");
      expect(refused).toMatchObject({ codespace: "sdk", code: 2, gasUsed: 0n });
      expect(refused.log).toContain('MsgAddNote belongs to module "notes", which is not in the version map');
      program.start();
    }
  });

  test("its queries → UPG_NOT_FOUND_METHOD with the height; at heights before the upgrade they are served", async () => {
    const { program } = started();
    program.block();
    expect(await queried(program)).toBe("ok");
    program.through("out");
    const { version } = program.app.lastCommitID;
    const refused = await queried(program);
    expect(refused).toContain("UPG_NOT_FOUND_METHOD");
    expect(refused).toContain(`module "notes" is not in the version map at height ${version}`);
    expect(await queried(program, version - 1n)).toBe("ok");
  });

  test("a later upgrade brings it to the version map → it runs again, in that block, with messages and queries", async () => {
    const { program, calls } = started();
    program.block();
    for (const plan of ["out", "cleared"]) program.through(plan);
    taken(calls);
    program.through("back");
    expect(taken(calls)).toBe("invariant probe begin end");
    expect(program.addNote("again")).toMatchObject({ code: 0 });
    expect(taken(calls)).toBe("begin end");
    expect(await queried(program)).toBe("ok");
    program.start();
    expect(program.app.consensusParams.block.maxGas).toBe(MAX_GAS);
  });

  test("app hashes of one process after another, and of a single one that reopens → the same", () => {
    const [first, second] = [started().program, started().program];
    const hashes = (program: Program, isReopened: boolean) => {
      program.block();
      const result: unknown[] = [];
      for (const plan of ["out", "cleared", "back"]) {
        if (isReopened) program.throughReopened(plan);
        else program.through(plan);
        program.addNote(plan);
        result.push(program.app.lastCommitID.hash);
      }
      return result;
    };
    expect(hashes(first, false)).toEqual(hashes(second, true));
  });
});
