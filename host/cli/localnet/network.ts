/** A network of validators on one machine: what its file, `localnet.json`, says of it. */
import { join, resolve } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../../base/files/atomic-file.js";
import { utf8 } from "../../base/text/bytes.js";
import { PROGRAM } from "../../base/text/program-text.js";
import { shellWord } from "../../base/text/shell-word.js";
import { decodeText } from "../../base/text/text.js";

/** Ports of one node, each on 127.0.0.1. */
export interface NodePorts {
  readonly p2p: number;
  readonly rpc: number;
  readonly api: number;
  readonly grpc: number;
}

export interface LocalNode extends NodePorts {
  /** `node0`; its key in its own keyring has the same name. */
  readonly name: string;
  /** Relative to the network's folder. */
  readonly home: string;
  readonly node_id: string;
  /** Address of its operator's account. */
  readonly address: string;
  readonly operator_address: string;
}

export interface LocalNetwork {
  readonly chain_id: string;
  readonly nodes: readonly LocalNode[];
}

const FILE_MODE = 0o644;

export const networkFile = (folder: string): string => join(folder, "localnet.json");
export const homeOf = (folder: string, node: Pick<LocalNode, "home">): string => resolve(folder, node.home);

export function writeNetwork(folder: string, network: LocalNetwork): void {
  writeFileAtomically(networkFile(folder), utf8(`${JSON.stringify(network, null, 1)}\n`), FILE_MODE);
}

/** @throws UpgradeError UPG_INVALID_CONFIG: there is none, or it is not what `init` writes */
export function readNetwork(folder: string): LocalNetwork {
  const file = networkFile(folder);
  const bytes = readFileIfThere(file);
  if (!bytes) {
    const make = `\`${PROGRAM} localnet init 4 --home ${shellWord(folder)}\``;
    throw new UpgradeError("UPG_INVALID_CONFIG", `${file} is missing: make a network with ${make} first`);
  }
  try {
    const network = JSON.parse(decodeText(bytes)) as LocalNetwork;
    if (network.nodes.length > 0 && network.nodes.every(isNode)) return network;
  } catch {
    // Reported below.
  }
  throw new UpgradeError("UPG_INVALID_CONFIG", `${file} is not what \`${PROGRAM} localnet init\` writes`);
}

function isNode({ name, home, p2p, rpc, api, grpc }: LocalNode): boolean {
  const areTexts = [name, home].every((text) => typeof text === "string" && text !== "");
  return areTexts && [p2p, rpc, api, grpc].every(Number.isInteger);
}

/** Those that were asked for, `0,2` or `node0,node2`. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function chosenNodes({ nodes }: LocalNetwork, names: readonly string[] | undefined): readonly LocalNode[] {
  if (!names) return nodes;
  const unknown = names.find((name) => !nodes.some((node) => isNamed(node, name)));
  if (unknown !== undefined) {
    const all = nodes.map(({ name }) => name).join(", ");
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there is no node "${unknown}": the network has ${all}`);
  }
  return nodes.filter((node) => names.some((name) => isNamed(node, name)));
}

const isNamed = ({ name }: LocalNode, given: string) => name === given || name === `node${given}`;

/** One line a node, for people. */
export function networkTable({ nodes }: LocalNetwork): string {
  const rows = nodes.map(({ name, rpc, api, grpc, p2p, home }) => [
    ...[name, `http://127.0.0.1:${rpc}`, `http://127.0.0.1:${api}`, `127.0.0.1:${grpc}`, `127.0.0.1:${p2p}`, home],
  ]);
  return table([["NODE", "RPC", "REST", "GRPC", "P2P", "HOME"], ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
