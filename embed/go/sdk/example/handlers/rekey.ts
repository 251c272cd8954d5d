// For the benchmark: moves every record of one store, re-keyed, into another.
//
//   a  01 | rest (31 bytes)  → value (100 bytes)   is gone
//   b  02 | rest             → value               is new
import { Bytes, migrate, plan, scan, store, Writer } from "chain-upgrade/handler";

plan("rekey", 1_000_000_000_000);
const a = store("a").prefix("01");
const b = store("b").prefix("02");
const key = new Writer(64);

migrate("a", 1, 2);
migrate("b", 1, 2);
scan(a, "01", move);

function move(old: Bytes, value: Bytes): void {
  a.delete(old);
  b.set(key.clear().u8(0x02).slice(old, 1), value);
}
