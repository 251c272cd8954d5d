/**
 * Takes a genesis document from a file into a home: as it is, with another chain id where one is given; plain or
 * gzipped. Documents of any size go through a part at a time, and the home has the document once all of it was checked.
 */

import { randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { readRange } from "../../base/files/byte-source.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { type FileSource, inGenesisFile, openFileSource } from "../../base/files/file-source.js";
import { makeFolder, openRegularFile } from "../../base/files/open-file.js";
import { toHex, utf8 } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import { checkLists, type Genesis, openDocument, openGenesis } from "../../chain/app/genesis/genesis.js";
import type { GenesisDocument } from "../../chain/genesis-stream/document.js";
import { removedAtEnd, temporaryFolder } from "../../state/store/disk/lmdb-temporary-path.js";

const FILE_MODE = 0o644;
const PART_BYTES = 1_048_576;
const GZIP_MAGIC = [0x1f, 0x8b];

/** What a taken document says of its chain. */
export type TakenGenesis = Pick<Genesis, "chainId">;

function madeFolder(folder: string): string | undefined {
  try {
    return makeFolder(folder);
  } catch (cause) {
    throw diskFailure("write", `cannot make ${folder}`, folder, cause);
  }
}

/**
 * Takes a plain document.
 * @param before runs once the document is checked, before the home has it
 * @throws UpgradeError UPG_INVALID_GENESIS, UPG_INVALID_CONFIG, UPG_STORE_IO; the home is then as it was
 */
export function takeDocument(
  chain: Chain,
  file: string,
  target: string,
  chainId: string | undefined,
  before: (taken: TakenGenesis) => void,
): TakenGenesis {
  const made = madeFolder(dirname(target));
  const temporary = `${target}.${toHex(randomBytes(4))}`;
  const release = removedAtEnd(temporary);
  try {
    copyDocument(chain, file, temporary, chainId);
    const genesis = checkDocument(chain, temporary, file);
    before(genesis);
    renameSync(temporary, target);
    return genesis;
  } catch (cause) {
    rmSync(made ?? temporary, { recursive: true, force: true });
    throw readable(file, cause);
  } finally {
    release();
  }
}

/** Calls `use` with a plain copy of a gzipped document, and with any other one itself. @throws UpgradeError UPG_INVALID_GENESIS */
export async function withPlainDocument<T>(file: string, use: (plain: string) => T | Promise<T>): Promise<T> {
  const folder = temporaryFolder("chain-upgrade-genesis-");
  try {
    return await use(await inflated(file, join(folder.path, "genesis.json")));
  } finally {
    folder.remove();
  }
}

async function inflated(file: string, target: string): Promise<string> {
  try {
    if (!isGzip(file)) return file;
    await pipeline(createReadStream(file), createGunzip(), createWriteStream(target, { mode: FILE_MODE }));
    return target;
  } catch (cause) {
    throw readable(file, cause);
  }
}

function readable(file: string, cause: unknown): UpgradeError {
  if (isUpgradeError(cause)) return cause;
  const message = messageOf(cause);
  return new UpgradeError("UPG_INVALID_GENESIS", `cannot read the genesis document ${file}: ${message}`, { cause });
}

/**
 * Reads a document to its end: its head and, with `check`, its lists.
 * @param named the file that people know it by
 * @param check reads every entry of the lists
 * @throws UpgradeError UPG_INVALID_GENESIS
 */
export function checkDocument(
  chain: Chain,
  file: string,
  named = file,
  check = (genesis: Genesis) => checkLists(chain, genesis),
): Genesis {
  return withSource(file, (source) =>
    inGenesisFile(named, () => {
      const genesis = openGenesis(chain, source);
      check(genesis);
      return genesis;
    }),
  );
}

function withSource<T>(file: string, use: (source: FileSource) => T): T {
  const source = openFileSource(file);
  if (!source) throw new UpgradeError("UPG_INVALID_CONFIG", `${file} does not exist`);
  try {
    return use(source);
  } finally {
    source.close();
  }
}

function isGzip(path: string): boolean {
  const file = openRegularFile(path);
  try {
    const start = new Uint8Array(GZIP_MAGIC.length);
    readSync(file, start, 0, start.length, 0);
    return GZIP_MAGIC.every((byte, i) => start[i] === byte);
  } finally {
    closeSync(file);
  }
}

function copyDocument(chain: Chain, file: string, target: string, chainId: string | undefined): void {
  withSource(file, (source) => {
    const document = openDocument(chain, source);
    const out = openSync(target, "w", FILE_MODE);
    try {
      copyWithChainId(document, out, chainId);
      fsyncSync(out);
    } finally {
      closeSync(out);
    }
  });
}

function copyWithChainId(
  { source, chainIdRange, start }: GenesisDocument,
  out: number,
  chainId: string | undefined,
): void {
  const id = JSON.stringify(chainId);
  if (chainId === undefined) {
    copyRange(source, out, 0, source.size);
  } else if (chainIdRange) {
    copyRange(source, out, 0, chainIdRange[0]);
    writeAll(out, utf8(id));
    copyRange(source, out, chainIdRange[1], source.size);
  } else {
    copyRange(source, out, 0, start + 1);
    writeAll(out, utf8(`"chain_id":${id},`));
    copyRange(source, out, start + 1, source.size);
  }
}

function copyRange(source: GenesisDocument["source"], out: number, from: number, to: number): void {
  for (let at = from; at < to; at += PART_BYTES) writeAll(out, readRange(source, at, Math.min(at + PART_BYTES, to)));
}

function writeAll(out: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(out, bytes, at);
}
