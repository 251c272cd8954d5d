/** What a plan's info offers for this platform, fetched, verified and put in its place. */
import { join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { type ArchiveKind, archiveOf } from "./archive-kind.js";
import { type FetchBounds, type Fetching, fetching, judged } from "./fetching.js";
import { placeTree, prepareTree } from "./install-folder.js";
import type { Part } from "./part.js";
import { digestsOf, piecesOf } from "./pieces.js";
import { type Digest, digestOf, otherSum } from "./small-text.js";
import { planDocument, sourceFor } from "./source.js";
import { readTar } from "./tar.js";
import { transfer } from "./transfer.js";
import { Tree } from "./tree.js";
import { unpacked } from "./unpacked.js";
import { readZip } from "./zip.js";

/** `<folder>/bin/<name>` is made, whole, or nothing is. */
export interface FetchOptions extends FetchBounds {
  /** The plan's info: JSON, or a URL of it. */
  readonly info: string;
  readonly name: string;
  /** Go's, as `linux/amd64`. */
  readonly platform: string;
  readonly isChecksumRequired: boolean;
}

export interface Fetched {
  readonly file: string;
  readonly url: string;
  /** Of what was downloaded, lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The plan had a checksum, and it is this file's. */
  readonly isVerified: boolean;
}

const ENTRIES_MAX = 10_000;

/**
 * Only this platform's program is fetched. What a process that was killed left is gone on with, or removed.
 * @throws UpgradeError UPG_INVALID_PLAN_INFO: the plan, or what it leads to, is not what it must be; UPG_REMOTE_UNAVAILABLE;
 * UPG_STORE_FULL, UPG_STORE_IO: the disk refused; UPG_NOT_FOUND_FILE: no tool here unpacks it; UPG_INVALID_CONFIG: the program is there
 */
export async function fetchProgram(options: FetchOptions): Promise<Fetched> {
  const program = join(options.folder, "bin", options.name);
  return fetching(options, async (part, inner) => {
    if (inner.files.facts(program)) throw present(program);
    return fetchInto(part, inner);
  });
}

type ProgramFetching = Fetching<FetchOptions>;

async function fetchInto(part: Part, options: ProgramFetching): Promise<Fetched> {
  const { info, platform, isChecksumRequired, log } = options;
  const document = await planDocument(info, isChecksumRequired, options);
  const source = sourceFor(document, platform, isChecksumRequired);
  const { url, archive } = archiveOf(source.source);
  log("info", `no upgrade binary found, beginning to download it: ${url}`);
  const digest = await digestOf(source, options);
  const judgedBy = JSON.stringify([digest ?? null, archive, options.name, options.bytesMax]);
  const { sha256, bytes, file } = await judged(part, judgedBy, async () => {
    const sum = await verified(part, digest, { ...options, url, judgedBy });
    const { bytes } = part;
    return { sha256: sum, bytes, file: await unpackAndPlace(part, archive, { ...options, url: source.url }) };
  });
  part.removeQuietly(log);
  log("info", `downloading binary complete: ${file}, sha256 ${sha256}`);
  return { file, url: source.url, sha256, bytes, isVerified: digest !== undefined };
}

/**
 * Its sha256. A file that came in parts and is not what it should be is fetched once more, whole: its parts may be of two
 * files.
 */
async function verified(
  part: Part,
  digest: Digest | undefined,
  options: ProgramFetching & { readonly url: string; readonly judgedBy: string },
): Promise<string> {
  const { files, url, signal, log } = options;
  const algorithms = ["sha256", ...(digest ? [digest.algorithm] : [])];
  for (;;) {
    await transfer(part, { ...options, isPinned: digest !== undefined });
    const [sha256 = "", other = ""] = await digestsOf(files, part.file, algorithms, signal);
    if (!digest || other === digest.hex) return sha256;
    const mismatch = otherSum(url, digest, other);
    if (!part.isPieced) throw mismatch;
    part.restart(undefined);
    log("warn", `${mismatch.message}; it is fetched again from its beginning`);
  }
}

async function unpackAndPlace(
  part: Part,
  archive: ArchiveKind,
  options: ProgramFetching & { url: string },
): Promise<string> {
  const { files, bytesMax, name, signal } = options;
  const tree = new Tree(files, part.tree, { bytesMax, entriesMax: ENTRIES_MAX, signal });
  const pieces = unpacked(piecesOf(files, part.file, signal), archive.packing, signal);
  if (archive.container === "zip") await readZip(files, part.file, tree);
  else if (archive.container === "tar") await readTar(pieces, tree);
  else await tree.add({ name, kind: "file", mode: 0 }, pieces);
  signal.throwIfAborted();
  tree.sync();
  const place = { ...options, tree: part.tree, paths: tree.paths };
  prepareTree(place);
  return placeTree(place);
}

function present(file: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_CONFIG", `${file} exists: upgrade dir already exists, won't overwrite`);
}
