/** The application as queries get it. Where one thread makes blocks and serves queries, the application itself can do more. */
import type { QueryApp } from "../../chain/app/query/call.js";

/** View of `app` without the members that run blocks, commit, register handlers or write. */
export function readOnlyApp(app: QueryApp): QueryApp {
  return Object.freeze({
    // Both are looked up at each call: the application has others after it was opened again.
    keeper: Object.freeze({
      get authority() {
        return app.keeper.authority;
      },
      get core() {
        return app.keeper.core;
      },
      plan: (store) => app.keeper.plan(store),
      doneHeight: (store, name) => app.keeper.doneHeight(store, name),
      lastDone: (store) => app.keeper.lastDone(store),
      moduleVersions: (store) => app.keeper.moduleVersions(store),
    } satisfies QueryApp["keeper"]),
    multiStore: Object.freeze({
      has: (version) => app.multiStore.has(version),
      at: (version) => app.multiStore.at(version),
      get lastCommitID() {
        return app.multiStore.lastCommitID;
      },
    } satisfies QueryApp["multiStore"]),
    at: (height) => app.at(height),
    consensusParamsFor: (height) => app.consensusParamsFor(height),
    simulate: (tx) => app.simulate(tx),
  } satisfies QueryApp);
}
