/** The flat receipt of docs/abi.md, in TypeScript: what check.wasm takes and gives. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import { decodeText, encodeText } from "../../../host/base/text/text.js";
import type { Receipt, StoreReceipt } from "../../../host/upgrade/handler/receipt.js";

const u64 = (value: bigint) => new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer);
const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
const lengthAnd = (bytes: Uint8Array) => concatBytes(u32(bytes.length), bytes);
const name = (text: string) => lengthAnd(encodeText(text));

export function flatReceipt(receipt: Receipt): Uint8Array {
  return concatBytes(
    u64(receipt.height),
    u64(receipt.gas),
    ...[receipt.abi, receipt.stores.length, receipt.checks.length].map(u32),
    name(receipt.plan),
    lengthAnd(receipt.handlerSha256),
    name(receipt.gasSchedule),
    ...receipt.stores.map(flatStore),
    ...receipt.checks.map(name),
  );
}

function flatStore(store: StoreReceipt): Uint8Array {
  const hashes = [store.rootBefore, store.rootAfter, store.writesSha256];
  const counts = [store.written, store.deleted, store.bytes].map(u64);
  return concatBytes(...counts, name(store.name), ...hashes.map(lengthAnd));
}

export function readFlatReceipt(bytes: Uint8Array): Receipt {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const long = () => {
    at += 8;
    return view.getBigUint64(at - 8, true);
  };
  const short = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const text = () => {
    const length = short();
    at += length;
    return bytes.slice(at - length, at);
  };
  const [height, gas, abi, stores, checks] = [BigInt.asIntN(64, long()), long(), short(), short(), short()];
  const [plan, handlerSha256, gasSchedule] = [decodeText(text()), text(), decodeText(text())];
  const store = (): StoreReceipt => {
    const counts = { written: long(), deleted: long(), bytes: long() };
    return { ...counts, name: decodeText(text()), rootBefore: text(), rootAfter: text(), writesSha256: text() };
  };
  const all = {
    ...{ plan, height, handlerSha256, abi, gasSchedule, gas },
    stores: Array.from({ length: stores }, store),
    checks: Array.from({ length: checks }, () => decodeText(text())),
  };
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes follow the receipt`);
  return all;
}
