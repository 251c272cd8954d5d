// The upgrade of the example chain: notes are kept by owner.
//
//   notes  00                                 → next number         stays as it is
//   notes  01 | number                        → length, owner, text is gone
//   notes  02 | length | owner | number       → text                is new
import { Bytes, fail, invariant, migrate, plan, scan, store, Writer } from "chain-upgrade/handler";

plan("v2", 900_000_000_000);
const notes = store("notes").prefix("00").prefix("01").prefix("02");

const NEXT = Bytes.hex("00");
const OLD = Bytes.hex("01");
const NUMBER_BYTES: u32 = 8;
const key = new Writer(300);
const text = new Bytes();
let moved: u64 = 0;

migrate("notes", 1, 2);
scan(notes, "01", moveNote);
invariant("none-left", isNoOldKeyLeft, "a note is still under its old key");
invariant("all-moved", isEveryNoteMoved, "the next number does not count the notes");

function moveNote(old: Bytes, note: Bytes): void {
  if (old.length != 1 + NUMBER_BYTES || note.length < 1) fail(1, "a note is not of layout 1");
  const textAt: u32 = 1 + note.u8At(0);
  if (note.length < textAt) fail(1, "a note is not of layout 1");
  notes.delete(old);
  notes.set(key.clear().u8(0x02).slice(note, 0, textAt).slice(old, 1), text.part(note, textAt));
  moved += 1;
}

function isNoOldKeyLeft(): bool {
  const left = notes.scan(OLD);
  const isLeft = left.next();
  left.close();
  return !isLeft;
}

function isEveryNoteMoved(): bool {
  const next = notes.get(NEXT);
  return next === null ? moved == 0 : next.be64At(0) == moved;
}
