/** A backup from which the node would not start, since its key has signed blocks that only this home has: refused, with the way back. */
import { join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { placesOf } from "../decide/decision/paths.js";
import type { Settings } from "../decide/settings.js";
import type { Manifest } from "./manifest.js";
import { keptData } from "./restoring.js";
import { signedHeights } from "./signed.js";

interface BackupOf {
  readonly files: Files;
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface SignedBeyond {
  /** Height that the key signed last. */
  readonly height: bigint;
  /** Records of this home that name a height which the node could not start before. */
  readonly records: readonly string[];
}

/**
 * The node would not start from the backup: it has the embedded engine, so no other node has the blocks that its key has signed since.
 * `undefined`: it would. @param last the last block of the present data; undefined: unknown
 */
export function signedBeyond(
  { files, home, folder, manifest }: BackupOf & { readonly home: string },
  last: bigint | undefined,
): SignedBeyond | undefined {
  const isEmbedded =
    files.facts(join(folder, "chain.mdb")) !== undefined && files.facts(join(folder, "cs.wal")) === undefined;
  if (!isEmbedded) return undefined;
  const upgrade = BigInt(manifest.plan.height);
  // A block that was signed and not committed is made again as it was signed.
  const allowed = last === upgrade - 1n ? upgrade : upgrade - 1n;
  const beyond = signedHeights(files, [join(home, "data"), ...keptData({ files, home })]).filter(
    ({ height }) => height > allowed,
  );
  const [latest] = beyond.map(({ height }) => height).toSorted((a, b) => (a > b ? -1 : 1));
  return latest === undefined ? undefined : { height: latest, records: beyond.map(({ file }) => file) };
}

/**
 * @param last the last block of the present data; undefined: unknown
 * @param chainvisor the sidecar's command for this home
 * @throws UpgradeError UPG_STORE_SIGNED when the node would not start from the backup
 */
export function requireGoesOn(
  { settings, ...backup }: BackupOf & { readonly settings: Settings },
  last: bigint | undefined,
  chainvisor: string,
): void {
  const { home } = settings;
  const beyond = signedBeyond({ ...backup, home }, last);
  if (!beyond) return;
  const target = BigInt(backup.manifest.plan.height) - 1n;
  const signed = beyond.height;
  const why =
    `a node with the embedded engine does not start from ${backup.folder}, which ends at block ${target}: its key has ` +
    `signed block ${signed}, and no other node has the blocks between. Nothing was changed.`;
  const hasBlocks = last !== undefined && last >= signed - 1n && last > target;
  const way = hasBlocks
    ? takenBack(backup, settings, chainvisor)
    : `${last === undefined ? `${home}/data has no readable block` : `${home}/data ends at block ${last}`}: ` +
      `put the data that ends at block ${signed} in its place. Only when it is lost for good and nobody else saw those ` +
      `blocks, move the record of the signatures aside, \`${aside(beyond)}\`, and run this command again`;
  throw new UpgradeError("UPG_STORE_SIGNED", `${why} ${way}`, { details: { signed_height: String(signed) } });
}

const aside = ({ records }: SignedBeyond): string =>
  records.map((file) => `mv ${shellWord(file)} ${shellWord(`${file}.old`)}`).join(" && ");

/** The program that wrote the blocks takes them back; then the program of before is linked. */
function takenBack({ files, manifest }: BackupOf, settings: Settings, chainvisor: string): string {
  const { home, root, name } = settings;
  const { current, previous } = placesOf(settings);
  const targetOf = (link: string) => (files.linkFacts(link)?.kind === "link" ? files.readLink(link) : undefined);
  const own = shellWord(join(root, targetOf(current) === undefined ? "genesis" : "current", "bin", name));
  const state = `${own} rollback --to ${BigInt(manifest.plan.height) - 1n} --home ${shellWord(home)}`;
  const words = `To take the blocks back instead, run \`${state}\``;
  const { program } = manifest;
  if (program === null || targetOf(current) === program) return words;
  const isPrevious = targetOf(previous) === program;
  const link = isPrevious
    ? `${chainvisor} rollback --program-only`
    : `ln -sfn ${shellWord(program)} ${shellWord(current)}`;
  return `${words}, then \`${link}\``;
}
