/** docs/gas.md, made from the schedule in the code: `node scripts/run.mjs test/house/write-gas-document.ts` writes it. */

import { GAS_LIMIT_MAX, LOG_BYTES_MAX, LOG_LINES_MAX } from "../../host/base/types/limits.js";
import { instructionPrice } from "../../host/upgrade/handler/meter/instruction-prices.js";
import {
  BULK_BYTES_LOG2,
  FAR_LOAD_PRICE,
  FLAT_PRICE_MAX,
  FRAME_BYTES,
  GAS_SCHEDULE,
  GROW_PAGE_PRICE,
  HOST_PRICES,
  NEAR_PAGES,
  SLOT_BYTES,
  STACK_BUDGET,
  WRITES_ALONE,
} from "../../host/upgrade/handler/meter/schedule.js";
import {
  BRANCH_VALUES_MAX,
  BRANCH_VARIABLES_MAX,
  BRANCHES_MAX,
  BRANCHES_TOTAL_MAX,
  CALLS_MAX,
  LOOP_NESTING_MAX,
  LOOPS_MAX,
  VALUES_MAX,
} from "../../host/upgrade/wasm/limits.js";
import { type Instruction, instructionOf } from "../../host/upgrade/wasm/opcodes.js";

const PREFIXED = 0xfc00;

const number = (value: number | bigint) => value.toLocaleString("en");

interface Priced {
  readonly name: string;
  readonly price: number;
}

/** Every instruction that a handler may use. */
function allowed(): Priced[] {
  const opcodes = [...Array(256).keys(), ...Array.from({ length: 16 }, (_, i) => PREFIXED + i)];
  const known = opcodes.flatMap((opcode): [Instruction, number][] => {
    const instruction = instructionOf(opcode);
    return instruction && !instruction.isFloat ? [[instruction, opcode]] : [];
  });
  return known.map(([{ name }, opcode]) => ({ name, price: instructionPrice(opcode) }));
}

/** One row a price; instructions of the commonest price are only counted. */
function instructionRows(): string[] {
  const byPrice = new Map<number, string[]>();
  for (const { name, price } of allowed()) byPrice.set(price, [...(byPrice.get(price) ?? []), `\`${name}\``]);
  const others = byPrice.get(1) ?? [];
  byPrice.set(1, [`every other instruction that is allowed (${others.length})`]);
  return [...byPrice].sort(([a], [b]) => a - b).map(([price, names]) => `| ${names.join(" ")} | ${number(price)} |`);
}

/** By the names that docs/abi.md uses too; the order is that of the page. */
const HOST_ROWS: Readonly<Record<keyof typeof HOST_PRICES, string>> = {
  fileByte: "each byte of the file, before anything runs",
  hostCall: "each call that the host makes: `_initialize`, `handler_in`, `handler_run`, `handler_batch` …",
  store_get: "`store_get`",
  store_scan: "`store_scan`",
  scanPassed: "each key that the handler deleted and that a `store_scan` goes by, up to the first pair that it leaves",
  scanPassedByte: "each byte of such a key",
  put: "`store_set`, and each put in frames",
  writeAlone: `each of the first ${number(WRITES_ALONE)} writes and deletes of a run, besides`,
  delete: "`store_delete`, and each delete in frames",
  store_write: "`store_write`, besides its frames",
  scanPair: "each pair that a `store_scan` gives, and each of a manifest's scan",
  log: "`log`",
  progress: "`progress`",
  logByte: "each byte of a log line, up to 4,096",
  byte: "each byte that crosses, either way: keys, values, frames with their headers, messages",
  longByte: "each byte of a key, or of a value that is written, beyond its first 1,024, besides",
};

const hostRows = () =>
  Object.entries(HOST_ROWS).map(
    ([name, what]) => `| \`${name}\` | ${what} | ${number(HOST_PRICES[name as keyof typeof HOST_PRICES])} |`,
  );

export function gasDocument(): string {
  return `# Gas: schedule \`${GAS_SCHEDULE}\`

A handler's work is counted in gas. The count is put into its bytecode before it runs, so it depends on the handler's bytes, its
input and this schedule, and on nothing else: not on the engine, the machine or the time. The manifest's \`gasLimit\` (at most
${number(GAS_LIMIT_MAX)}) bounds a run; the gas used is in the receipt, with the schedule's name. This page is made from the
code; a test holds the two equal.

Out of gas is \`UPG_MIGRATION_OUT_OF_GAS\`: nothing is written, and the chain's state is that before the upgrade. A billion gas takes at most about a second,
whatever the handler does with it, its part of the commit included; of a normal handler a tenth of one, and at most twice that (on two
cores at 2.5 GHz).

\`npm run bench -- gas\` measures what a gas of each row below takes, at its worst, and fails when one takes more than five times what a
gas of split-balances takes in the same run, when a scan after a hundred spilled runs takes more than twice what one takes after none, or
when a billion gas takes longer than it says above. What was measured is in \`schedule.ts\` and \`instruction-prices.ts\` of \`host/upgrade/handler/meter\`, at each price.

## Instructions

| instruction | gas |
| --- | --- |
${instructionRows().join("\n")}

- \`loop\` costs its price for each round. \`block\`, \`else\` and \`end\` are free; so is unreachable code.
- \`memory.copy\`, \`memory.fill\` and \`memory.init\` cost 1 more for every ${2 ** BULK_BYTES_LOG2} bytes, before they act.
- \`memory.grow\` costs ${number(GROW_PAGE_PRICE)} more for each page, before it acts. A request past the maximum (the smaller of the
  module's and 512 pages) returns -1 and costs no pages. When the engine has no memory although the request is allowed, the
  node halts with \`UPG_HANDLER_ENGINE\`: that is no result.
- A load costs ${FAR_LOAD_PRICE} more while the memory is larger than ${NEAR_PAGES} pages, from the instruction after the growth on: a load that waits for the last one, at an address
  that is in no cache, takes more than ten times one in a small memory.
- Small functions are paid for whole where they are called. A function is small when it has no loop, is neither exported nor in the
  table, no call from it leads to a function that can call itself, neither it nor what it calls grows the memory, and its
  instructions, with those of the small functions that it calls (once for each call in its code), cost at most ${FLAT_PRICE_MAX} together. A call of it costs the \`call\` and that sum, whichever of
  its branches run.
- Gas is taken in advance, once for each group of instructions that always run together. So a run that traps may have paid for what it
  did not reach; a run that ends well has paid exactly for what ran.

## What the host does

A call of an import costs the \`call\`, which the metered module counts, and what the host takes:

| name | | gas |
| --- | --- | --- |
${hostRows().join("\n")}
| | \`fail\`, \`abort\`: the run ends there | 0 |

Everything is paid for before it is done, except what is known only afterwards: what a read found. A \`store_scan\` reads parts of
64 KiB, or one larger pair, and each part is taken before the next is read; keys that it goes by, and the bytes of a \`store_get\`, are
taken directly after it. A manifest's scan is read ahead by at most four batches of 64 KiB, or one larger pair, and each batch is
taken before the handler sees it. A run that ends there may have read that much without paying, once. Writes are expensive since each of them is hashed into the state when the
block is committed; the first ones cost more, since each changes a path of the tree for itself alone. Of a run's log lines the first
${number(LOG_LINES_MAX)} are written, each with at most ${number(LOG_BYTES_MAX)} bytes of UTF-8, so at most 41 MB (in a JSON log a quote or a backslash takes two bytes), and all
are paid for.

Gas is taken in this order, which is the same on every node: the file's bytes; \`_initialize\`, \`handler_in\`, \`handler_out\`;
\`handler_run\` with its context; of each scan, batch by batch, its pairs, its bytes, the call, the bytes that it returns, and the framed
writes; \`handler_check\`. Of framed writes each is charged by itself, in their order: its form, its store, the right to write there, the prefix
of its key (a trap), then its price (out of gas), then it is written; so what comes first of a bad frame and of the end of the gas is the
same everywhere. [abi.md](abi.md#a-run-step-by-step) has the order of each charge and each check, import by import. A run that failed says in \`details.gas\` what was charged until then, at most its limit.

## Stack

Calls may use ${number(STACK_BUDGET)} abstract bytes of stack together: each ${FRAME_BYTES}, and ${SLOT_BYTES} for each value that a compiler may keep in its
frame. These are its parameters (twice: where they came in and where they are kept), its locals, its operands at their greatest
number, and what an optimising compiler may keep from before a call to after it: each result of arithmetic, comparisons,
conversions and \`select\`, each \`i64.const\`, each address of a load or store. Only functions from which a call may lead to one that
calls itself are counted while they run; what the others need is known before and kept free for them. Past the budget a run ends
with \`UPG_HANDLER_STACK\`, in every tier of every engine before its own stack is used up: the most that any of them took for an
abstract byte, over 24 kinds of recursion, is in the table (\`test/engines/stack-cases.ts\` holds the verdicts equal).

| engine | its smallest stack | most for an abstract byte | so at most | margin |
| --- | --- | --- | --- | --- |
| V8, Liftoff | 984 KiB (main thread) | 0.66 | 169 KiB | 5.8 × |
| V8, TurboFan | 984 KiB (main thread) | 0.36 | 92 KiB | 10.6 × |
| wasmtime, Cranelift | 512 KiB | 0.46 | 118 KiB | 4.3 × |
| wazero, compiler | grows to 400 MB | | | |
| wazero, interpreter | 2,000 calls | | 1,820 calls | 1.1 × |

An interpreter on a stack that its host gives needs more: Chicory, in Java, a thread of 4 MiB (of 24 recursions some ended it at 1 MiB).

## Compilers

A compiler keeps every value that may be alive where control flow splits or joins, so a few kilobytes of code could ask it for gigabytes. A file of
1 MiB that is taken is compiled and run in at most 256 MiB more, on every engine: the code of a function may hold ${number(BRANCHES_MAX)} branches
(${number(BRANCHES_TOTAL_MAX)} in all functions together), ${number(LOOPS_MAX)} loops, ${LOOP_NESTING_MAX} of them inside each other, ${number(VALUES_MAX)} instructions that make a value and ${number(CALLS_MAX)} calls;
its branches times its parameters, locals and operands are at most ${number(BRANCH_VARIABLES_MAX)}, and with its values added ${number(BRANCH_VALUES_MAX)}. Past one of
them a file is refused with \`UPG_HANDLER_LIMIT\`. Each block, loop, \`if\`, \`else\`, \`return\`, division, bulk operation and label of a branch counts as a branch, a
loop as four.

\`npm run bombs:handlers\` builds the largest files of 26 kinds, and random mixtures of them, and measures the greatest memory of a process
that compiles and runs each; some of them are in \`test/engines/compile-bombs.test.ts\`. The most in 104 files and 65 mixtures:

| engine | MiB |
| --- | --- |
| V8 in Node 20.20, TurboFan (\`--no-liftoff --no-wasm-lazy-compilation\`) | 154 |
| V8 in Node 20.20, Liftoff (\`--liftoff-only --no-wasm-lazy-compilation\`) | 55 |
| V8 in Node 20.20, as it comes | 130 |
| V8 in Chromium 156, TurboFan (some 40 of the files) | 180 |
| V8 in Chromium 156, as it comes (some 40 of the files) | 92 |
| wazero, compiler | 138 |
| wasmtime, Cranelift | 116 |

## One count on every engine

\`npx vitest run --project engines\` runs some 300 metered modules (random ones, recursion, growth, bulk memory, SHA-256, a varint
codec, the example's handler) to their end and again with half of their gas, and compares every result, every count of gas and of
stack, and all of memory:

| engine | version | result |
| --- | --- | --- |
| V8 in Node, TurboFan (\`--no-liftoff\`) | Node 20.20 | the same |
| V8 in Node, Liftoff (\`--liftoff-only\`) | Node 20.20 | the same |
| V8 in Chromium | 156 | the same |
| wazero, compiler | 1.12.0 | the same |
| wazero, interpreter | 1.12.0 | the same |
| wasmtime, Cranelift | 50.0.1 | the same |

On random modules the count is also the sum of the prices of the instructions that ran, found by a second meter that is slow and
simple (\`test/guest/equivalence.test.ts\`), and metered modules return what they returned before.

## What counting costs

\`npm run bench -- meter\` runs the same work metered and not, by turns in one process, 150 rounds. Time of the best round metered,
over the best one not, on two cores at 2.5 GHz with Node 20:

| work | optimised code (TurboFan) | first code (Liftoff) |
| --- | --- | --- |
| SHA-256 | 0.95 to 1.01 | 1.02 |
| a varint codec | 1.08 | 1.13 |
| the guest's part of split-balances | 1.21 to 1.24 | 1.25 |

The first two declare a memory of at most ${NEAR_PAGES} pages: then no load can be far, and nothing asks. A handler whose memory may become larger asks once for each group
of instructions with loads.
`;
}
