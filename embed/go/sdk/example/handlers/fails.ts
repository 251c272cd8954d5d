// For the tests: writes, and then gives up by itself.
import { Bytes, fail, migrate, plan, scan, store } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
const notes = store("notes").prefix("01");
let met: u64 = 0;

migrate("notes", 1, 2);
scan(notes, "01", onNote);

function onNote(old: Bytes, _note: Bytes): void {
  notes.delete(old);
  met += 1;
  if (met == 20) fail(7, "the twentieth note is too much");
}
