/** What the upgrade module costs a block in which nothing happens. */

import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { Core } from "../../host/upgrade/core/core.js";
import { preBlocker } from "../../host/upgrade/module/hooks.js";
import { Keeper, UPGRADE_STORE } from "../../host/upgrade/module/keeper.js";
import { report, sha256, time } from "./records.js";

const count = Number(process.argv[2]);

const multiStore = new CommitMultiStore(new MemoryDatabase(), { sha256 });
multiStore.mount(UPGRADE_STORE);
multiStore.loadLatestVersion();
const keeper = new Keeper({ core: new Core(), authority: "authority" });
keeper.setModuleVersions(multiStore.store(UPGRADE_STORE), new Map([["auth", 1n]]));
multiStore.commit();

const block = { chainId: "bench-1", height: 2n, time: { seconds: 0n, nanos: 0 }, appVersion: 0n };

const base = multiStore.loaded();

function run(): number {
  for (let i = 0; i < count / 10; i++) preBlocker({ keeper, branch: multiStore.branch(), base, block }); // warm
  return time(() => {
    for (let i = 0; i < count; i++) preBlocker({ keeper, branch: multiStore.branch(), base, block });
  });
}

const ms = run();
const plan = { name: "v2", height: 1_000_000n, info: "" };
keeper.softwareUpgrade(multiStore.store(UPGRADE_STORE), 2n, { authority: "authority", plan });
multiStore.commit();
report({ ms, ms_with_plan: run() });
