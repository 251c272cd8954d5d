// For the tests: reaches for a key that its manifest does not give it.
import { Bytes, migrate, plan, store } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
const notes = store("notes").prefix("01");

migrate("notes", 1, 2, run);

function run(): void {
  notes.set(Bytes.hex("01ff"), Bytes.text("allowed"));
  notes.set(Bytes.hex("00"), Bytes.text("not allowed"));
}
