/**
 * Makes the functions of JavaScript and Node.js whose results differ between nodes throw while a function of a chain's module runs
 * (`callModule` in synchronous.ts). Each is replaced once in a thread. Outside of modules the replacement calls the original, so the
 * host and libraries that it calls are not affected.
 *
 * The operator `**`, and an async function's continuation, cannot be replaced.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { isInModule, refuseInModule } from "../synchronous.js";

/** Functions of an object that throw in a module, as `what.name`. */
type Trap = readonly [holder: object, what: string, names: readonly string[], instead: string];

const TIME = "use context.time, the block's time";
const RANDOM = "a block has no random numbers; derive a value from state, for example with context.sha256";
const EXACT =
  "engines round it differently; use bigint, or + - * / and Math.sqrt(), which are exact. Write x ** n for integers as a loop";
const LOCALE = "it depends on the machine's locale and ICU version; compare and format text yourself";
const TIMER = "a block is synchronous; keep what is to be done later in state, and do it in beginBlock or endBlock";
const MACHINE = "it measures this machine; a block may depend on state and transactions alone";
const STACK = "it holds file paths and depends on the engine; use error.message";

const INEXACT =
  "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 pow cbrt hypot".split(
    " ",
  );
const LOCAL_DATE = [
  ...["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"].map((part) => `get${part}`),
  ...["Date", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"].map((part) => `set${part}`),
  ...["getTimezoneOffset", "getYear", "setYear", "toString", "toDateString", "toTimeString"],
];
const TIMERS = ["setTimeout", "setInterval", "setImmediate"];
const KEYS = ["generateKey", "generateKeySync", "generateKeyPair", "generateKeyPairSync", "createECDH"];
const RANDOM_BYTES = ["randomBytes", "pseudoRandomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID"];
/** Date and time in UTC, as in ISO 8601, or a date alone, which is UTC too. Anything else is in the machine's time zone. */
const ZONED = /^[+-]?\d{4,6}(?:-\d\d(?:-\d\d)?)?(?:T.*(?:Z|[+-]\d\d:?\d\d))?$/;

function traps(): Trap[] {
  const localized = [Number, BigInt, Array, Date, String, Object.getPrototypeOf(Uint8Array) as typeof Uint8Array];
  return [
    [Math, "Math", ["random"], RANDOM],
    [Math, "Math", INEXACT, EXACT],
    [Date, "Date", ["now"], TIME],
    [
      Date.prototype,
      "Date.prototype",
      LOCAL_DATE,
      "it is in the machine's time zone; use the functions with UTC in their names",
    ],
    [Object.getPrototypeOf(performance) as object, "performance", ["now", "mark", "measure", "toJSON"], TIME],
    [process.hrtime, "process.hrtime", ["bigint"], TIME],
    [process, "process", ["hrtime", "uptime"], TIME],
    [process, "process", ["cpuUsage", "memoryUsage", "resourceUsage"], MACHINE],
    ...localized.map((type): Trap => [type.prototype, type.name, ["toLocaleString"], LOCALE]),
    [Date.prototype, "Date", ["toLocaleDateString", "toLocaleTimeString"], LOCALE],
    [String.prototype, "String", ["localeCompare", "toLocaleLowerCase", "toLocaleUpperCase"], LOCALE],
    [Intl, "Intl", Object.getOwnPropertyNames(Intl), LOCALE],
    [crypto, "crypto", [...RANDOM_BYTES, ...KEYS], RANDOM],
    [Object.getPrototypeOf(globalThis.crypto) as object, "crypto", ["getRandomValues", "randomUUID"], RANDOM],
    [globalThis, "globalThis", [...TIMERS, "queueMicrotask"], TIMER],
    [timers, "timers", TIMERS, TIMER],
    [WeakRef.prototype, "WeakRef", ["deref"], "it depends on garbage collection"],
    [globalThis, "globalThis", ["FinalizationRegistry"], "it depends on garbage collection"],
  ];
}

/** Puts back what was there before; undefined: nothing is replaced in this thread. */
let restore: (() => void) | undefined;

/** Replaces the functions in this thread, once. Called when a chain is opened. Returns a function that restores them. */
export function trapNondeterminism(): () => void {
  if (restore) return restore;
  const undo: (() => void)[] = [];
  for (const [holder, what, names, instead] of traps()) {
    for (const name of names)
      undo.push(...replaced(holder, name, (original) => trapped(original, `${what}.${name}()`, instead)));
  }
  undo.push(...replaced(globalThis, "Date", (original) => trappedDate(original as DateConstructor)));
  // A date leads to the original otherwise.
  undo.push(...replaced(Date.prototype, "constructor", () => globalThis.Date));
  undo.push(trapStacks());
  syncBuiltinESMExports();
  restore = () => {
    for (const each of undo.reverse()) each();
    syncBuiltinESMExports();
    restore = undefined;
  };
  return restore;
}

type Callable = (...args: never[]) => unknown;

function replaced(holder: object, name: string, wrap: (original: Callable) => Callable): (() => void)[] {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  if (typeof before?.value !== "function" || !(before.configurable || before.writable)) return [];
  Object.defineProperty(holder, name, { ...before, value: wrap(before.value as Callable) });
  return [() => void Object.defineProperty(holder, name, before)];
}

function trapped(original: Callable, shown: string, instead: string): Callable {
  const name = shown.replace("globalThis.", "");
  return new Proxy(original, {
    apply(target, self, args) {
      refuseInModule(name, instead);
      return Reflect.apply(target, self, args);
    },
    construct(target, args, made) {
      refuseInModule(name, instead);
      return Reflect.construct(target, args, made) as object;
    },
  });
}

/** `new Date(milliseconds)` and ISO texts are the same everywhere; the present, and what is in the machine's time zone, is not. */
function trappedDate(original: DateConstructor): DateConstructor {
  const parse = original.parse;
  const date: DateConstructor = new Proxy(original, {
    apply: (target) => {
      refuseInModule("Date()", TIME);
      return target();
    },
    construct(target, args, made) {
      if (isInModule()) requireFixed(args);
      return Reflect.construct(target, args, made === date ? target : made) as object;
    },
    get: (target, name) =>
      name === "parse" && isInModule()
        ? (text: string) => {
            requireFixed([text]);
            return parse(text);
          }
        : Reflect.get(target, name),
  });
  return date;
}

function requireFixed(args: readonly unknown[]): void {
  const [first] = args;
  if (args.length === 0) refuseInModule("new Date()", TIME);
  const isZoned = typeof first !== "string" || ZONED.test(first);
  if (args.length > 1 || !isZoned) {
    refuseInModule("new Date(…)", "it is in the machine's time zone; use Date.UTC(), or a text that ends with Z");
  }
}

/** The engine reads `Error.prepareStackTrace` when an error's `stack` is read for the first time. */
function trapStacks(): () => void {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  let own: unknown = before?.value;
  Object.defineProperty(Error, "prepareStackTrace", {
    configurable: true,
    get: () => (isInModule() ? () => refuseInModule("error.stack", STACK) : own),
    set: (value: unknown) => {
      own = value;
    },
  });
  return () => {
    Reflect.deleteProperty(Error, "prepareStackTrace");
    if (own !== undefined) Object.defineProperty(Error, "prepareStackTrace", { ...PLAIN, value: own });
  };
}

const PLAIN = { configurable: true, enumerable: true, writable: true } as const;
