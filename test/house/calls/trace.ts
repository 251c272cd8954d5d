/** The stack of a program whose functions are traced (traced.ts), and the calls that are seen on it. */

/** `caller → callee`, each as `path#function`. */
export const seen = new Set<string>();
const stack: string[] = [];
let isOn = false;

/** Notes the calls that `work` makes. */
export function watch<T>(work: () => T): T {
  isOn = true;
  try {
    return work();
  } finally {
    isOn = false;
  }
}

function enter(place: string): void {
  const caller = stack.at(-1);
  if (isOn && caller !== undefined) seen.add(`${caller} → ${place}`);
  stack.push(place);
}

function leave(): void {
  stack.pop();
}

function within<T>(place: string, work: () => T): T {
  enter(place);
  try {
    return work();
  } finally {
    leave();
  }
}

function* generator<T, R, N>(place: string, inner: Generator<T, R, N>): Generator<T, R, N> {
  let step = within(place, () => inner.next(undefined as N));
  try {
    while (!step.done) {
      const given = yield step.value;
      step = within(place, () => inner.next(given));
    }
    return step.value;
  } finally {
    if (!step.done) within(place, () => inner.return(undefined as R));
  }
}

(globalThis as Record<string, unknown>)["__calls"] = { enter, leave, in: within, generator };
