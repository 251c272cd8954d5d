/** The genesis document as an engine holds it: made once, kept when it is small, read in pieces when it is not. */

import { UpgradeError } from "../../base/errors/errors.js";
import { toBase64, utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import type { LocalNode, NodeGenesis } from "../../chain/app/query/node-port.js";
import { noRoom, type UnreadBytes } from "../limits/unread.js";
import { GenesisPieces, type Piece } from "./genesis-pieces.js";
import { consensusParamsJson } from "./json.js";

/** Requests for a chunk that wait for their turn; more are refused. */
const CHUNKS_WAITING_MAX = 128;

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

/** Members that are written apart from the file's. */
const OWN = new Set(["consensus", "consensus_params", "validators", "app_hash", "app_state"]);

/** Consensus parameters in full and at the top, the state last. */
async function documentOf(node: LocalNode, genesis: NodeGenesis): Promise<GenesisPieces> {
  const { members } = genesis;
  const consensus = members.get("consensus");
  const { validators = [] } = consensus
    ? (JSON.parse(decodeText(await genesis.read(consensus))) as { readonly validators?: unknown })
    : {};
  const pieces: Piece[] = [];
  const add = (name: string, value: Piece) => {
    pieces.push(utf8(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`), value);
  };
  for (const [name, range] of members) if (!OWN.has(name)) add(name, range);
  add("consensus_params", utf8(JSON.stringify(consensusParamsJson(node.consensusParams))));
  add("validators", utf8(JSON.stringify(validators ?? [])));
  const hash = members.get("app_hash");
  const hashText = hash ? JSON.parse(decodeText(await genesis.read(hash))) : undefined;
  add("app_hash", utf8(JSON.stringify(hashText ?? "")));
  const state = members.get("app_state");
  if (state) add("app_state", state);
  return new GenesisPieces(genesis, [...pieces, utf8("}")]);
}

/** The document of a node, which is the same as long as its file is. */
export class GenesisAnswers {
  #known: { readonly genesis: NodeGenesis; readonly document: Promise<GenesisPieces> } | undefined;

  /** The chunk that was asked for last. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    private readonly node: LocalNode,
    private readonly unread: UnreadBytes,
  ) {}

  /**
   * A range in base64. However many clients ask, one range is read at a time, and none for which clients leave no room:
   * each takes several times its bytes of memory until it is sent.
   * @throws UpgradeError UPG_REMOTE_BUSY
   */
  async base64(document: GenesisPieces, from: number, to: number): Promise<Uint8Array> {
    if (this.#waiting >= CHUNKS_WAITING_MAX) {
      throw new UpgradeError("UPG_REMOTE_BUSY", `${CHUNKS_WAITING_MAX} requests for the genesis wait: try again`);
    }
    this.#waiting++;
    const read = async () => {
      // The response before this one is counted by then.
      await new Promise((resolve) => setImmediate(resolve));
      if (!this.unread.hasRoom(base64Length(Math.min(to, document.length) - from))) throw noRoom();
      return utf8(toBase64(await document.bytes(from, to)));
    };
    const bytes = this.#last.then(read, read);
    this.#last = bytes.catch(() => undefined);
    return await bytes.finally(() => this.#waiting--);
  }

  async document(): Promise<GenesisPieces> {
    const genesis = await this.node.genesis();
    if (this.#known?.genesis !== genesis) this.#known = { genesis, document: documentOf(this.node, genesis) };
    return await this.#known.document;
  }
}
