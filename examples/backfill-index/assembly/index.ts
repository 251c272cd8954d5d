// backfill-index: orders get an index by owner, for those that are older than the code that keeps it.
//
//   orders  01 | id                   → Order { bytes owner = 1; uint64 price = 2 }      stays as it is
//   orders  02 | length | owner | id  → 01                                               is new
//
// The value is one byte and not empty: no proof of an empty value convinces a verifier.
import { Bytes, fail, invariant, log, migrate, plan, ProtoReader, scan, store, Writer } from "chain-upgrade/handler";

plan("backfill-index", 50_000_000_000);
const orders = store("orders").prefix("01").prefix("02");

const OWNER: u32 = 1;
const INDEX = Bytes.hex("02");
const PRESENT = Bytes.hex("01");
const ID_BYTES: u32 = 8;

const order = new ProtoReader();
const owner = new Bytes();
const key = new Writer(64);
let indexed: u64 = 0;

migrate("orders", 1, 2);
scan(orders, "01", indexOrder, tellTheEnd);
invariant("index", isEveryOrderIndexed, "the index has not one entry for each order");
invariant("index-leads-to-orders", doEntriesLeadToOrders, "an entry of the index leads to no order");

function indexOrder(orderKey: Bytes, value: Bytes): void {
  if (orderKey.length != 1 + ID_BYTES) fail(1, "an order's key is not 01 and its number");
  owner.length = 0;
  order.open(value);
  while (order.next()) if (order.field == OWNER) owner.part(order.bytes, 0);
  if (owner.length == 0 || owner.length > 255) fail(2, "an order has no owner, or one that is too long");
  key.clear().u8(0x02).u8(owner.length).bytes(owner).slice(orderKey, 1);
  orders.set(key, PRESENT);
  indexed += 1;
}

function tellTheEnd(): void {
  log("indexed " + indexed.toString() + " orders");
}

function isEveryOrderIndexed(): bool {
  let entries: u64 = 0;
  const index = orders.scan(INDEX);
  while (index.next()) entries += 1;
  return entries == indexed;
}

function doEntriesLeadToOrders(): bool {
  const index = orders.scan(INDEX);
  while (index.next()) {
    key
      .clear()
      .u8(0x01)
      .slice(index.key, index.key.length - ID_BYTES);
    if (!orders.has(key)) return false;
  }
  return true;
}
