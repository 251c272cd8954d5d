// For the tests: never ends, but for its gas.
import { Bytes, migrate, plan, store } from "chain-upgrade/handler";

plan("v2", 300_000_000);
const notes = store("notes").prefix("01");

migrate("notes", 1, 2, run);

function run(): void {
  const key = Bytes.hex("01ff");
  while (true) notes.set(key, key);
}
