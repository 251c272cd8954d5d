/**
 * Makes the functions of JavaScript and Node.js whose results differ between nodes throw while a function of a chain's module runs
 * (`callModule` in synchronous.ts). Each is replaced once in a thread, when define-chain.ts is loaded, so that a reference that a module's
 * file takes when it is loaded is the replacement. Outside of modules the replacement calls the original, so the host and libraries that
 * it calls are not affected.
 *
 * The operator `**`, an async function's continuation and values that were read earlier cannot be replaced.
 */
import childProcess from "node:child_process";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import v8 from "node:v8";
import { isInModule, refuseInModule } from "../../base/errors/synchronous.js";

/** Functions and values of an object that throw in a module, as `what.name`. */
type Trap = readonly [holder: object, what: string, names: readonly string[], instead: string];

const TIME = "use context.time, the block's time";
const RANDOM = "a block has no random numbers; derive a value from state, for example with context.sha256";
const EXACT =
  "engines round it differently; use bigint, or + - * / and Math.sqrt(), which are exact. Write x ** n for integers as a loop";
const LOCALE = "it depends on the machine's locale and ICU version; compare and format text yourself";
const TIMER = "a block is synchronous; keep what is to be done later in state, and do it in beginBlock or endBlock";
const MACHINE = "it measures this machine; a block may depend on state and transactions alone";
const PROCESS = "a program of this machine decides nothing; a block may depend on state and transactions alone";
const END = "a module cannot end the node; throw an error";
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
const KEYS = [
  ...["generateKey", "generateKeySync", "generateKeyPair", "generateKeyPairSync", "createECDH"],
  ...["createDiffieHellman", "createDiffieHellmanGroup", "getDiffieHellman", "generatePrime", "generatePrimeSync"],
];
const RANDOM_BYTES = [
  ...["randomBytes", "pseudoRandomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "getRandomValues"],
  // Padding, and the nonce of a signature, are random.
  ...["sign", "createSign", "publicEncrypt"],
];
const HEAP = [
  "getHeapSnapshot",
  "getHeapStatistics",
  "getHeapSpaceStatistics",
  "getHeapCodeStatistics",
  "queryObjects",
];
/** Date and time in UTC, as in ISO 8601, or a date alone, which is UTC too. Anything else is in the machine's time zone. */
const ZONED = /^[+-]?\d{4,6}(?:-\d\d(?:-\d\d)?)?(?:T.*(?:Z|[+-]\d\d:?\d\d))?$/;

const namesOf = (holder: object): string[] =>
  Object.getOwnPropertyNames(holder).filter((name) => name !== "constructor" && name !== "prototype");

/** The functions of what `new Intl[name]()` makes. */
function trapsOfFormat(name: string): Trap[] {
  // TypeScript does not let `Intl` be indexed by a name that is found at run time.
  const made = (Intl as unknown as Readonly<Record<string, { readonly prototype?: object } | undefined>>)[name]
    ?.prototype;
  return made ? [[made, `Intl.${name}`, namesOf(made), LOCALE]] : [];
}

function traps(): Trap[] {
  const clock = Object.getPrototypeOf(performance) as object;
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
    [clock, "performance", namesOf(clock), TIME],
    [Event.prototype, "Event", ["timeStamp"], TIME],
    [File.prototype, "File", ["lastModified"], TIME],
    [process.hrtime, "process.hrtime", ["bigint"], TIME],
    [process, "process", ["hrtime", "uptime"], TIME],
    [process, "process", ["cpuUsage", "memoryUsage", "resourceUsage"], MACHINE],
    [process, "process", ["exit", "reallyExit", "abort", "kill", "execve"], END],
    [os, "os", namesOf(os), MACHINE],
    [v8, "v8", HEAP, MACHINE],
    [childProcess, "child_process", namesOf(childProcess), PROCESS],
    ...localized.map((type): Trap => [type.prototype, type.name, ["toLocaleString"], LOCALE]),
    [Date.prototype, "Date", ["toLocaleDateString", "toLocaleTimeString"], LOCALE],
    [String.prototype, "String", ["localeCompare", "toLocaleLowerCase", "toLocaleUpperCase"], LOCALE],
    [Intl, "Intl", namesOf(Intl), LOCALE],
    // An object that a module's file made when it was loaded.
    ...namesOf(Intl).flatMap((name) => trapsOfFormat(name)),
    [crypto, "crypto", [...RANDOM_BYTES, ...KEYS], RANDOM],
    [Object.getPrototypeOf(globalThis.crypto) as object, "crypto", ["getRandomValues", "randomUUID"], RANDOM],
    [crypto.ECDH.prototype, "crypto.ECDH", ["generateKeys"], RANDOM],
    [globalThis, "globalThis", [...TIMERS, "queueMicrotask"], TIMER],
    [timers, "timers", TIMERS, TIMER],
    [timersPromises, "timers", TIMERS, TIMER],
    [AbortSignal, "AbortSignal", ["timeout"], TIMER],
    [WeakRef.prototype, "WeakRef", ["deref"], "it depends on garbage collection"],
    [globalThis, "globalThis", ["FinalizationRegistry"], "it depends on garbage collection"],
  ];
}

/** Puts back what was there before; undefined: nothing is replaced in this thread. */
let restore: (() => void) | undefined;

/** Replaces the functions in this thread, unless it did already. Returns a function that restores them. */
export function trapNondeterminism(): () => void {
  if (restore) return restore;
  const undo: (() => void)[] = [];
  for (const [holder, what, names, instead] of traps()) {
    for (const name of names) undo.push(...replaced(holder, name, trapOf(`${what}.${name}`, instead)));
  }
  undo.push(...replaced(globalThis, "Date", ofFunction(trappedDate)));
  // A date leads to the original otherwise.
  undo.push(
    ...replaced(
      Date.prototype,
      "constructor",
      ofFunction(() => globalThis.Date),
    ),
  );
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
type Wrap = (before: PropertyDescriptor) => PropertyDescriptor | undefined;

function replaced(holder: object, name: string, wrap: Wrap): (() => void)[] {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  if (!before || !(before.configurable || before.writable)) return [];
  const after = wrap(before);
  if (!after) return [];
  Object.defineProperty(holder, name, after);
  return [() => void Object.defineProperty(holder, name, before)];
}

const isFunction = (value: unknown): value is Callable => typeof value === "function";

const ofFunction =
  (wrap: (original: never) => unknown): Wrap =>
  (before) =>
    isFunction(before.value) ? { ...before, value: wrap(before.value as never) } : undefined;

/** A function throws when it is called, a value when it is read. */
function trapOf(shown: string, instead: string): Wrap {
  const name = shown.replace("globalThis.", "");
  return (before) => {
    const { value, get: read } = before;
    if (isFunction(value)) return { ...before, value: trapped(value, `${name}()`, instead) };
    // The function that `collator.compare` gives is the same at each read, and may be called later.
    const given = new WeakMap<Callable, Callable>();
    const get = function (this: unknown): unknown {
      refuseInModule(name, instead);
      const result: unknown = read ? Reflect.apply(read, this, []) : value;
      if (!isFunction(result)) return result;
      const wrapped = given.get(result) ?? trapped(result, `${name}()`, instead);
      given.set(result, wrapped);
      return wrapped;
    };
    if (read) return { ...before, get };
    return before.configurable ? { configurable: true, enumerable: before.enumerable === true, get } : undefined;
  };
}

function trapped(original: Callable, name: string, instead: string): Callable {
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
  const parse = (text: string): number => {
    if (isInModule()) requireFixed([text]);
    return original.parse(text);
  };
  const date: DateConstructor = new Proxy(original, {
    apply: (target) => {
      refuseInModule("Date()", TIME);
      return target();
    },
    construct(target, args, made) {
      if (isInModule()) requireFixed(args);
      return Reflect.construct(target, args, made === date ? target : made) as object;
    },
    get: (target, name) => (name === "parse" ? parse : Reflect.get(target, name)),
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
