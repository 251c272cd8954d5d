/** `<root>/returned.json`: heights at which the old program went on without the upgrade, as the validators had agreed. */
import type { Files } from "../../../base/files/files.js";
import { readRecord } from "./record-file.js";

const BYTES_MAX = 64 * 1_024;
const HEIGHT = /^[0-9]{1,16}$/;

/** @throws UpgradeError UPG_STORE_CORRUPT, UPG_STORE_IO: to start without the flag would fork */
export function returnedHeights(files: Files, path: string): bigint[] {
  const found = readRecord(files, path, {
    holds: "heights without their upgrades",
    bytesMax: BYTES_MAX,
    without:
      "heights that this node went on over with the old program (CHAINVISOR_ON_REFUSAL=return) then need --unsafe-skip-upgrades",
    parse: ({ v, heights }) =>
      v === 1 && Array.isArray(heights) && heights.every((each) => HEIGHT.test(String(each)))
        ? heights.map((each) => BigInt(String(each)))
        : undefined,
  });
  return found ?? [];
}
