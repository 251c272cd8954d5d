/** What a machine may refuse to a process, by the words of the errors that it shows in: memory and open files. */
import { isUpgradeError, messageOf, UpgradeError } from "./errors.js";

/** V8's words when the system gives it no more memory, or no addresses for it. From another thread it is no RangeError. */
const NO_MEMORY = /^(?:WebAssembly\.\w+\(\): (?:Out of memory|could not allocate)|Array buffer allocation failed)/;

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && NO_MEMORY.test(error.message);
}

/** A folder of somebody else, a full disk, no memory: what the system says no to is no bug, wherever it comes up. */
export function isRefusedByMachine(error: unknown): boolean {
  return (error instanceof Error && "syscall" in error) || isOutOfMemory(error) || isOutOfFiles(error);
}

/** Any error as one with a code: UPG_STORE_IO where the system refused something, UPG_BUG_ASSERT otherwise. */
export function upgradeErrorOf(error: unknown): UpgradeError {
  if (isUpgradeError(error)) return error;
  const code = isRefusedByMachine(error) ? "UPG_STORE_IO" : "UPG_BUG_ASSERT";
  return new UpgradeError(code, machineProblem(error) ?? messageOf(error), { cause: error });
}

/** Also Node.js's words for a thread that it could not start. */
const NO_FILES = /^(?:Worker initialization failure: )?E[MN]FILE\b/;

const isOutOfFiles = (error: unknown) => error instanceof Error && NO_FILES.test(error.message);

/** What the machine refused, and what to do about it; undefined: it is another error. */
export function machineProblem(error: unknown): string | undefined {
  if (isOutOfMemory(error)) {
    return (
      `the system gives this process no more memory: ${messageOf(error)}. See \`ulimit -v\` (let it be unlimited: each Wasm ` +
      "memory reserves 10 GiB of addresses, not of memory), the limit of the service or container, and `free -h`"
    );
  }
  if (!isOutOfFiles(error)) return undefined;
  return (
    `this process has as many files and sockets open as it may: ${messageOf(error)}. Raise the hard limit, \`ulimit -Hn\` ` +
    "(LimitNOFILE= of a service, --ulimit nofile= of a container): 1,024 and one for each client"
  );
}
