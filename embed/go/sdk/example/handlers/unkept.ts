// For the tests: deletes every note, and its own check finds that.
import { Bytes, invariant, migrate, plan, scan, store } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
const notes = store("notes").prefix("01");
let deleted: u64 = 0;

migrate("notes", 1, 2);
scan(notes, "01", onNote);
invariant("nothing-lost", isNothingLost, "notes are lost");

function onNote(old: Bytes, _note: Bytes): void {
  notes.delete(old);
  deleted += 1;
}

function isNothingLost(): bool {
  return deleted == 0;
}
