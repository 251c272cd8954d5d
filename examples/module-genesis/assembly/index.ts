// module-genesis: a module that is new with this upgrade, in a store of its own, begins with its parameters and with
// one feed for each denomination that has a supply.
//
//   bank    00 | denom  → supply, decimal text       is read
//   oracle  00          → Params { uint64 window = 1; string authority = 2; int64 since = 3; uint64 feeds = 4 }
//   oracle  01 | denom  → Feed { string denom = 1; uint64 opened_at = 2 }
import { addModule, addStore, Bytes, context, invariant, log, plan, readStore, Writer } from "chain-upgrade/handler";

plan("oracle", 10_000_000_000);
const bank = readStore("bank").prefix("00");
const oracle = addStore("oracle");

const WINDOW_BLOCKS: u64 = 600;
const SUPPLY = Bytes.hex("00");
const PARAMS = Bytes.hex("00");
const FEEDS = Bytes.hex("01");

const denom = new Bytes();
const key = new Writer();
const value = new Writer();
let feeds: u64 = 0;

addModule("oracle", 1, writeGenesis);
invariant("feeds", isOneFeedForEachSupply, "there is not one feed for each supply");

function writeGenesis(): void {
  const supplies = bank.scan(SUPPLY);
  while (supplies.next()) {
    denom.part(supplies.key, 1);
    key.clear().u8(0x01).bytes(denom);
    oracle.set(
      key,
      value
        .clear()
        .fieldBytes(1, denom)
        .fieldNumber(2, <u64>context.height),
    );
    feeds += 1;
  }
  value
    .clear()
    .fieldNumber(1, WINDOW_BLOCKS)
    .fieldText(2, "gov")
    .fieldNumber(3, <u64>context.seconds);
  oracle.set(PARAMS, value.fieldNumber(4, feeds));
  log("the oracle of " + context.chainId.toString() + " begins with " + feeds.toString() + " feeds");
}

function isOneFeedForEachSupply(): bool {
  let found: u64 = 0;
  const pairs = oracle.scan(FEEDS);
  while (pairs.next()) found += 1;
  return found == feeds && oracle.has(PARAMS);
}
