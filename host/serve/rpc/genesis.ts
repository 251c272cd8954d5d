/** The genesis document as an engine holds it: made once, kept when it is small, read in pieces when it is not. */

import { toBase64, utf8 } from "../../base/text/bytes.js";
import type { LocalNode, NodeGenesis } from "../../chain/app/query/node-port.js";
import { UpgradeError } from "../../base/errors/errors.js";
import { noRoom, type UnreadBytes } from "../limits/unread.js";
import { decodeText } from "../../base/text/text.js";
import type { RpcContext } from "./context.js";
import { GenesisPieces, type Piece } from "./genesis-pieces.js";
import { consensusParamsJson, JsonText } from "./json.js";
import type { Params } from "./params.js";

/** Bytes of a chunk, and of the largest document that is one answer. */
const CHUNK_BYTES = 16_777_216;
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

export async function genesis({ genesis }: RpcContext) {
  const document = await genesis.document();
  if (document.length > CHUNK_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      "genesis response is large, please use the genesis_chunked API instead",
    );
  }
  return new JsonText([`{"genesis":`, await document.whole(), "}"]);
}

export async function genesisChunked({ genesis }: RpcContext, params: Params) {
  const document = await genesis.document();
  const total = Math.max(1, Math.ceil(document.length / CHUNK_BYTES));
  const chunk = Number(params.integer("chunk") ?? 0n);
  if (chunk < 0 || chunk >= total) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `there are ${total} chunks, counted from 0, got ${chunk}`);
  }
  const data = await genesis.base64(document, chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
  return new JsonText([`{"chunk":"${chunk}","total":"${total}","data":"`, data, `"}`]);
}
