/** What a query gets of the application: it reads committed state, and changes nothing, also where one thread does all. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Query as NotesQuery, QueryNotesRequestSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { KVStore } from "../../host/base/types/types.js";
import { App } from "../../host/chain/app/app.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { QueryCall } from "../../host/chain/app/query/call.js";
import { implement } from "../../host/chain/app/query/service.js";
import { queryNode } from "../../host/cli/rehearsal/block/query-node.js";
import { Query } from "../../host/serve/query/query.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { exampleChain } from "../example-chain.js";
import { genesisText } from "./genesis-text.js";

/** Names of the functions and accessors of an object and its prototypes. */
function membersOf(value: object): string[] {
  const names: string[] = [];
  for (let each = value; each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    names.push(...Object.getOwnPropertyNames(each));
  }
  return names.filter((name) => name !== "constructor").sort();
}

test("call.app of a query → reads of committed state alone, frozen; what it reads cannot be written", async () => {
  const seen: QueryCall[] = [];
  const query = implement(NotesQuery, [], {
    notes: (_request, call) => {
      seen.push(call);
      return { notes: [], total: 0n };
    },
  });
  const own = { name: "own", consensusVersion: 1n, queries: [query] };
  const chain = defineChain({ name: "ownd", modules: [...exampleChain.modules, own] });
  const genesis = parseGenesis(chain, genesisText());
  const app = new App({ chain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
  app.load();
  app.finalizeBlock({ height: 1n, time: genesis.time, txs: [] });
  app.commit();
  const { chainId, bondDenom, time } = genesis;
  const node = queryNode({ chainId, consensusParams: app.consensusParams, lastHeight: 1n, time });
  const asked = new Query({ chain, app, node, sha256, bondDenom, stakingParams: undefined, compatCosmos: true });
  const method = asked.method(`/${NotesQuery.typeName}/Notes`);
  for (let times = 0; method && times < 2; times++) await asked.call(method, create(QueryNotesRequestSchema), 0n);

  const [call, again] = seen as [QueryCall, QueryCall];
  expect(again.app).toBe(call.app);
  expect(membersOf(call.app)).toEqual(["at", "consensusParamsFor", "keeper", "multiStore", "simulate"]);
  expect(membersOf(call.app.multiStore)).toEqual(["at", "has", "lastCommitID"]);
  const reads = ["authority", "core", "doneHeight", "lastDone", "moduleVersions", "plan"];
  expect(membersOf(call.app.keeper)).toEqual(reads);
  expect([call.app, call.app.multiStore, call.app.keeper].every(Object.isFrozen)).toBe(true);
  expect(call.app.multiStore.lastCommitID).toEqual(app.lastCommitID);
  expect([call.app.multiStore.has(1n), call.app.keeper.authority]).toEqual([true, app.keeper.authority]);
  for (const stores of [call.stores, call.app.at().stores, call.app.multiStore.at(1n)]) {
    // The types have no such member; a module in plain JavaScript can call it.
    const own = stores.store("own") as unknown as KVStore;
    expect(() => own.set(Uint8Array.of(1), Uint8Array.of(1))).toThrow();
  }
});
