// chain-upgrade/handler: what the author of an upgrade handler works with (docs/write-a-handler.md).
//
//   plan("v3", 5_000_000_000);
//   const bank = store("bank").prefix("02");
//   migrate("bank", 2, 3);
//   scan(bank, "02", (key, value) => { … bank.set(key, changed) … });
//   invariant("supply", () => …);
export { Amount } from "./amount";
export { Bytes } from "./bytes";
export { Context, context, Plan } from "./context";
export {
  addModule,
  addStore,
  allow,
  deleteStore,
  invariant,
  migrate,
  plan,
  readStore,
  removeModule,
  renameStore,
  scan,
  store,
} from "./declare";
export { ProtoReader } from "./proto-reader";
export { fail, Level, log, logNumber, progress } from "./report";
export { Scan } from "./scan";
export { Store } from "./store";
export { Writer } from "./writer";
export {
  add as addU128,
  divideByU64 as divideU128,
  fromU64 as toU128,
  isLess as isLessU128,
  mul as mulU128,
  sub as subU128,
  u128,
} from "../shared/u128";
