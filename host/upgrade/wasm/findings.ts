/** What is wrong with a module: a list for people and scripts, bounded whatever the module holds. */
import type { ErrorCode } from "../../base/errors/errors.js";
import { FINDINGS_MAX } from "./limits.js";

export type FindingCode = Extract<ErrorCode, `UPG_HANDLER_${string}`>;

export interface Finding {
  readonly code: FindingCode;
  /** The function's name (name section, export or import), else `func[index]`; null when it is about no function. */
  readonly function: string | null;
  /** Byte of the file; null when the finding is about something absent. */
  readonly offset: number | null;
  /** What it is, why it is refused, and what to do. */
  readonly message: string;
}

/** What to do, for findings that do not say it themselves. */
const ADVICE: Partial<Readonly<Record<FindingCode, string>>> = {
  UPG_HANDLER_FORMAT:
    "the file is damaged or its compiler is at fault: build it again, and check it with wasm-validate",
  UPG_HANDLER_LIMIT: "make it smaller, or split it",
  UPG_HANDLER_MEMORY: "define one memory of wasm32 that all data fits in, and export it as memory",
  UPG_HANDLER_IMPORT: "declare it as docs/abi.md has it",
  UPG_HANDLER_EXPORT: "export it by the name and type that docs/abi.md has",
  UPG_HANDLER_OPCODE: "build for WebAssembly 1.0, with integers only",
  UPG_HANDLER_METERED: "make it again with `handler meter`, by a program with the same gas schedule as the chain's",
  UPG_HANDLER_MANIFEST: "docs/abi.md describes the manifest",
};

function withAdvice(code: FindingCode, message: string): string {
  const advice = message.includes("; ") ? undefined : ADVICE[code];
  return advice === undefined ? message : `${message}; ${advice}`;
}

/** Ends the decoding of a section or of a function body. Never leaves this room. */
export class Refusal extends Error {
  constructor(
    readonly code: FindingCode,
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

export function malformed(offset: number, what: string): Refusal {
  return new Refusal("UPG_HANDLER_FORMAT", offset, what);
}

/** Runs `work`; a refusal is reported. True when the work came to its end. */
export function attempt(findings: Findings, work: () => void, functionIndex?: number): boolean {
  try {
    work();
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    findings.add(refusal.code, refusal.offset, refusal.message, functionIndex);
    return false;
  }
}

interface Entry {
  readonly code: FindingCode;
  readonly offset: number | null;
  readonly message: string;
  readonly functionIndex: number | undefined;
}

export class Findings {
  readonly #entries: Entry[] = [];
  readonly #seen = new Set<string>();
  #unlisted = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The same message about the same function is listed once, where it first occurs. */
  add(code: FindingCode, offset: number | null, message: string, functionIndex?: number): void {
    const key = `${functionIndex ?? ""} ${message}`;
    if (this.#seen.has(key)) return;
    if (this.#entries.length === FINDINGS_MAX) {
      this.#unlisted++;
      return;
    }
    this.#seen.add(key);
    this.#entries.push({ code, offset, message, functionIndex });
  }

  /** In the order in which they were found. `nameOf` names a function by its index. */
  list(nameOf: (index: number) => string): Finding[] {
    const list: Finding[] = this.#entries.map(({ code, offset, message, functionIndex }) => ({
      code,
      function: functionIndex === undefined ? null : nameOf(functionIndex),
      offset,
      message: withAdvice(code, message),
    }));
    if (this.#unlisted > 0) {
      const message = `${this.#unlisted} further findings are not listed; mend these and check again`;
      list.push({ code: "UPG_HANDLER_LIMIT", function: null, offset: null, message });
    }
    return list;
  }
}
