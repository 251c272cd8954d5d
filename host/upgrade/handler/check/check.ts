/** Is this file a handler? Everything that can be said before it runs, by rules that no engine and no version of one changes. */
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import type { Finding } from "../../wasm/findings.js";
import type { Manifest } from "../manifest/manifest-types.js";
import { Checker } from "./checker.js";
import type { ModuleFacts } from "./file-check.js";

export interface HandlerCheck {
  /** The plan's name; null when the manifest could not be read. */
  readonly name: string | null;
  readonly gasLimit: bigint | null;
  /** What is wrong, in the order of the checks; none: the file is a handler. */
  readonly findings: readonly Finding[];
}

/** The same with what it was found out from. */
export interface Examination {
  /** A copy: what was checked is what runs. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly findings: readonly Finding[];
  /** What could be read, also with findings. */
  readonly manifest: Manifest | undefined;
  /** Undefined with findings, as the next. */
  readonly facts: ModuleFacts | undefined;
  /** The file with gas and stack counted in it: what runs. */
  readonly metered: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Work is linear in the length of the bytes, whatever they are.
 *
 * @throws UpgradeError UPG_HANDLER_ENGINE, UPG_BUG_CORE_ABI when this host could not check them
 *
 * @internal what tests look at: findings alone
 */
export function checkHandler(bytes: Uint8Array): HandlerCheck {
  const { manifest, findings } = examineHandler(bytes);
  return { name: manifest?.name ?? null, gasLimit: manifest?.gasLimit ?? null, findings };
}

/** The instance that checked the last file, while its memory is as small as at first: a third of the time of most files is an instance. */
let idle: Checker | undefined;

/** @throws UpgradeError UPG_HANDLER_ENGINE, UPG_BUG_CORE_ABI */
export function examineHandler(input: Uint8Array): Examination {
  const isTooLong = input.length > HANDLER_BYTES_MAX;
  const bytes = isTooLong ? new Uint8Array(0) : new Uint8Array(input);
  const checker = idle ?? new Checker();
  // One that throws is not used again.
  idle = undefined;
  const checked = checker.file(isTooLong ? input : bytes);
  if (!checker.hasGrown) idle = checker;
  return { bytes, ...checked };
}
