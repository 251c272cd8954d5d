/** The honest chain, and others that a liar may have: forks by other keys, chains of another time, names that lie. */
import { bigEndian64 } from "../../../host/base/text/bytes.js";
import { receiptBytes } from "../../../host/upgrade/handler/receipt.js";
import {
  type ChainShape,
  doneKey,
  MadeChain,
  planBytes,
  receiptKeyHex,
  upgradeWrites,
  versionKey,
} from "../../unit/verify/made-chain.js";

const BLOCKS = 20;
const DAY = 86_400n;
const begun = BigInt(Math.floor(Date.now() / 1_000)) - 5n * BigInt(BLOCKS) - 2n;
const members = () => [1, 2, 3, 4].map((seed) => ({ seed, power: 10 }));
const strangers = () => [66, 67].map((seed) => ({ seed, power: 10 }));

export const HTML = "<img src=x onerror=pwned=1>";
/** Right-to-left override, zero-width space, a colour of terminals, a mark of direction. */
export const UNSEEN = "\u202e\u200b\u001b[31m\u2066";

const chain = (shape: Partial<ChainShape>) =>
  new MadeChain({ blocks: BLOCKS, members, writes: upgradeWrites, genesisSeconds: begun, ...shape });

export const HONEST = chain({});
/** The same chain until now, without the plan of block 8. */
export const QUIET = chain({ writes: (height) => (height === 8 ? [] : upgradeWrites(height)) });
const agedBy = (seconds: bigint) => chain({ genesisSeconds: begun - seconds });
export const FOUR_DAYS_OLD = agedBy(4n * DAY);
export const EXPIRED = agedBy(20n * DAY);
export const TOMORROW = agedBy(-DAY);
/** What the liar wants to be believed. */
const lyingWrites = (name: string) => (height: number) =>
  height === 8 ? [["00", planBytes(name, 60n, `LIE ${HTML}`)] as const] : upgradeWrites(height);
/** Signed by keys of strangers. */
export const FORK = chain({ members: strangers, writes: lyingWrites("LIE-v9") });
export const OLD_FORK = chain({ members: strangers, writes: lyingWrites("LIE-v9"), genesisSeconds: begun - 20n * DAY });
export const forkNamed = (chainId: string) => chain({ members: strangers, chainId, writes: lyingWrites("LIE-v9") });
const hostileReceipt = receiptBytes({
  ...{ plan: `LIE${UNSEEN}`, height: 1n, handlerSha256: new Uint8Array(32).fill(7), abi: 1 },
  ...{ gasSchedule: "LIE", gas: 9n, checks: [`LIE${HTML}${UNSEEN}`] },
  stores: [
    {
      ...{ name: `LIE${UNSEEN}`, written: 1n, deleted: 0n, bytes: 2n },
      ...{ rootBefore: new Uint8Array(), rootAfter: new Uint8Array(32), writesSha256: new Uint8Array() },
    },
  ],
});
/** A real chain whose state has names that lie; all of them are proven. */
export const HOSTILE = chain({
  writes: (height) =>
    height === 1
      ? [
          ["00", planBytes(`LIE${UNSEEN}" was applied`, 60n, HTML)],
          [doneKey(`LIE-done${UNSEEN}${HTML}`, 1n), Uint8Array.of(1)],
          [receiptKeyHex(`LIE-done${UNSEEN}${HTML}`), hostileReceipt],
          [versionKey(`LIE${HTML}${UNSEEN}`), bigEndian64(1n)],
          [versionKey("bank"), bigEndian64(2n)],
        ]
      : [],
});
