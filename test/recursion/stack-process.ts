/** Run as a process with a stack of its own size: prints what `requireStack` and `withStackLeft` do on it, as JSON. */
import { requireStack, withStackLeft } from "../../host/base/errors/engine-limit.js";
import { messageOf } from "../../host/base/errors/errors.js";

const KIB = 68;

/** KiB that are left here, by arguments of a call, to 1 KiB. */
function left(): number {
  let kib = 0;
  for (; kib < 2 * KIB; kib++) {
    try {
      Reflect.apply(() => undefined, undefined, new Array<undefined>(kib * 128));
    } catch {
      break;
    }
  }
  return kib - 1;
}

const deeper = (n: number, work: () => number): number => (n === 0 ? work() : deeper(n - 1, work) + 0);

function refused(): string | undefined {
  try {
    requireStack();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const measure = () => withStackLeft(KIB, left);
const cold = [measure(), deeper(500, measure), measure()];
for (let n = 0; n < 5_000; n++) withStackLeft(KIB, () => n);
process.stdout.write(JSON.stringify({ refused: refused(), left: [...cold, measure(), deeper(500, measure)] }));
