// For the tests: changes which stores there are.
//
//   notes    is renamed to entries, and loses its notes to
//   archive  which is new
//   old      is deleted
import { addStore, Bytes, deleteStore, migrate, plan, renameStore, scan } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
const entries = renameStore("notes", "entries").prefix("01");
const archive = addStore("archive").prefix("01");
deleteStore("old");

migrate("notes", 1, 2);
scan(entries, "01", move);

function move(key: Bytes, note: Bytes): void {
  entries.delete(key);
  archive.set(key, note);
}
