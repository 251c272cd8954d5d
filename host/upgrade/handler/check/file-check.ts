/** What check.wasm says of a file, decoded: the message `FileCheck` of docs/abi.md. */

import { ERROR_KINDS, type ErrorCode } from "../../../base/errors/errors.js";
import { decodeText } from "../../../base/text/text.js";
import { Fields, invalid } from "../../../base/wire/wire-fields.js";
import type { Finding, FindingCode } from "../../wasm/findings.js";
import { shownName } from "../../wasm/function-names.js";
import {
  type Allowances,
  type Manifest,
  type ManifestScan,
  type ManifestStore,
  type ModuleVersions,
  NOTHING_ALLOWED,
} from "../manifest/manifest-types.js";

export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly manifest: Manifest | undefined;
  /** Undefined with findings. */
  readonly facts: ModuleFacts | undefined;
}

export interface ModuleFacts {
  readonly gasSchedule: string;
  /** Which of the optional exports there are. */
  readonly batch: boolean;
  readonly check: boolean;
  readonly err: boolean;
  readonly initialize: boolean;
  readonly memoryPages: number;
  readonly memoryPagesMax: number;
  /** The file has the section with its metered module, and it is right. */
  readonly carriesMetered: boolean;
}

const CODES = new Map(Object.entries(ERROR_KINDS).map(([code, { number }]) => [number, code as ErrorCode]));

export function decodeFileCheck(bytes: Uint8Array): FileCheck {
  const fields = new Fields(bytes, "FileCheck", ["list", "list", "bytes", "bytes"]);
  const names = new Map(fields.list(2).map(decodeName));
  return {
    findings: fields.list(1).map((finding) => decodeFinding(finding, names)),
    manifest: fields.has(3) ? decodeManifest(fields.bytes(3)) : undefined,
    facts: fields.has(4) ? decodeFacts(fields.bytes(4)) : undefined,
  };
}

function decodeName(bytes: Uint8Array): [number, string] {
  const fields = new Fields(bytes, "FunctionName", ["varint", "bytes"]);
  return [fields.uint32(1), fields.text(2)];
}

function decodeFinding(bytes: Uint8Array, names: ReadonlyMap<number, string>): Finding {
  const fields = new Fields(bytes, "Finding", ["varint", "bytes", "varint", "varint"]);
  const code = CODES.get(fields.uint32(1)) as FindingCode | undefined;
  if (!code) throw invalid(`malformed Finding: unknown code ${fields.uint32(1)}`);
  const index = fields.uint32(4);
  return {
    code,
    function: fields.has(4) ? shownName(names.get(index) ?? `func[${index}]`) : null,
    offset: fields.has(3) ? fields.uint32(3) : null,
    message: fields.text(2),
  };
}

function decodeFacts(bytes: Uint8Array): ModuleFacts {
  const kinds = ["bytes", "varint", "varint", "varint", "varint", "varint", "varint", "varint"] as const;
  const fields = new Fields(bytes, "ModuleFacts", kinds);
  const is = (field: number) => fields.uint32(field) !== 0;
  return {
    gasSchedule: fields.text(1),
    ...{ batch: is(2), check: is(3), err: is(4), initialize: is(5) },
    ...{ memoryPages: fields.uint32(6), memoryPagesMax: fields.uint32(7), carriesMetered: is(8) },
  };
}

const texts = (list: readonly Uint8Array[]) => list.map((bytes) => decodeText(bytes));

function decodeManifest(bytes: Uint8Array): Manifest {
  const kinds = ["varint", "bytes", "varint", "list", "list", "list", "list", "list", "list", "list", "bytes"] as const;
  const fields = new Fields(bytes, "Manifest", kinds);
  return {
    ...{ abi: 1, name: fields.text(2), gasLimit: fields.uint64(3), stores: fields.list(4).map(decodeStore) },
    storeUpgrades: {
      added: texts(fields.list(5)),
      renamed: fields.list(6).map(decodeRename),
      deleted: texts(fields.list(7)),
    },
    versions: new Map(fields.list(8).map(decodeVersions)),
    removes: texts(fields.list(9)),
    scans: fields.list(10).map(decodeScan),
    allows: fields.has(11) ? decodeAllows(fields.bytes(11)) : NOTHING_ALLOWED,
  };
}

function decodeStore(bytes: Uint8Array): ManifestStore {
  const fields = new Fields(bytes, "ManifestStore", ["bytes", "varint", "list"]);
  const prefixes = fields.list(3).map(copy);
  const access = fields.uint32(2) === 0 ? "r" : "rw";
  return { name: fields.text(1), access, prefixes: prefixes.length === 0 ? undefined : prefixes };
}

const copy = (bytes: Uint8Array) => bytes.slice();

function decodeRename(bytes: Uint8Array): { readonly oldKey: string; readonly newKey: string } {
  const fields = new Fields(bytes, "Rename", ["bytes", "bytes"]);
  return { oldKey: fields.text(1), newKey: fields.text(2) };
}

function decodeVersions(bytes: Uint8Array): [string, ModuleVersions] {
  const fields = new Fields(bytes, "Versions", ["bytes", "bytes", "varint"]);
  return [fields.text(1), { from: fields.has(2) ? varints(fields.bytes(2)) : undefined, to: fields.uint64(3) }];
}

/** Versions have at most 32 bits. */
function varints(bytes: Uint8Array): bigint[] {
  const list: bigint[] = [];
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    list.push(value);
    [value, shift] = [0n, 0n];
  }
  return list;
}

function decodeScan(bytes: Uint8Array): ManifestScan {
  const fields = new Fields(bytes, "Scan", ["bytes", "bytes"]);
  return { store: fields.text(1), prefix: fields.has(2) ? copy(fields.bytes(2)) : undefined };
}

function decodeAllows(bytes: Uint8Array): Allowances {
  const fields = new Fields(bytes, "Allows", ["list", "list", "list", "list", "varint"]);
  return {
    ...{ deleteStores: texts(fields.list(1)), removeModules: texts(fields.list(2)) },
    ...{ writeStores: texts(fields.list(3)), keepStores: texts(fields.list(4)) },
    emptyVersionMap: fields.uint32(5) !== 0,
  };
}
