// For the tests: takes memory until there is none.
import { migrate, plan, store } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
store("notes").prefix("01");

migrate("notes", 1, 2, run);

function run(): void {
  while (true) if (memory.grow(16) < 0) unreachable();
}
