/** A committed version as the text of a genesis document, a piece at a time: a chain may have millions of accounts. */
import { toBase64 } from "../../base/text/bytes.js";
import type { VersionMap } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { paramsOf } from "../../chain/app/engine-values.js";
import { genesisParams } from "../../chain/app/genesis/consensus-params.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import { listText, openText } from "../../chain/app/genesis/list-text.js";
import type { ChainVersion } from "../../chain/app/versions/version.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { exportPieces } from "../../upgrade/module/genesis-calls.js";
import type { ExportLosses } from "./export-losses.js";

type Json = Readonly<Record<string, unknown>>;

export interface ExportedVersion {
  readonly chain: Chain;
  readonly view: VersionView;
  readonly begun: GenesisFacts;
  readonly time: string;
  readonly initialHeight: bigint;
  /** App version that the new chain begins with; 0n: unset. */
  readonly appVersion: bigint;
  /** The version whose code reads the stores. */
  readonly version: ChainVersion;
  /** What the app version does not say: modules of other versions, and stores that it does not have. */
  readonly raw: { readonly modules: VersionMap; readonly stores: readonly string[] } | undefined;
  /** Watches what the exports of modules read. */
  readonly losses?: ExportLosses;
}

export function* documentText(exported: ExportedVersion): Generator<string> {
  const { begun, raw, view } = exported;
  const head = {
    genesis_time: exported.time,
    chain_id: begun.chainId,
    initial_height: String(exported.initialHeight),
    app_hash: null,
  };
  yield `${openText(head)},"app_state":{`;
  yield* sections(exported);
  if (raw) {
    const modules = [...raw.modules].map(([name, number]) => ({ name, version: String(number) }));
    yield `,"raw":${openText({ module_versions: modules, stores: raw.stores })},"pairs":`;
    yield* listText(pairs(view, raw.stores), (pair) => pair);
    yield "}";
  }
  const params = { ...((begun.consensusParams.value ?? {}) as Json), ...changedParams(exported) };
  const app = exported.appVersion === 0n ? {} : { app: String(exported.appVersion) };
  yield `},"consensus":${JSON.stringify({ params: { ...params, version: app } })}}\n`;
}

/** The parameters of consensus that state says; those of the document stay as they are written where it says nothing. */
function changedParams({ chain, view, begun, version }: ExportedVersion): Json {
  const before = genesisParams(begun);
  const params = paramsOf(chain.modules, { stores: view, version }, before);
  if (params === before) return {};
  const { block, evidence, validator, abci } = params;
  return {
    block: { max_bytes: String(block.maxBytes), max_gas: String(block.maxGas) },
    evidence: {
      max_age_num_blocks: String(evidence.maxAgeBlocks),
      max_age_duration: String(evidence.maxAgeNanos),
      max_bytes: String(evidence.maxBytes),
    },
    validator: { pub_key_types: validator.publicKeyTypes },
    abci: { vote_extensions_enable_height: String(abci.voteExtensionsHeight) },
  };
}

/** The sections of the modules that this version has, in the order in which genesis is written. */
function* sections({ chain, view, version, begun, losses }: ExportedVersion): Generator<string> {
  const { modules, registry, addresses } = chain;
  const facts = { version, modules, registry, addresses, stakingParams: begun.stakingParams.value };
  let separator = "";
  for (const module of modules) {
    const { name, genesis } = module;
    if (!genesis || !version.modules.has(name)) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* exportPieces(name, () => genesis.export({ ...facts, view: losses?.viewFor(module) ?? view }));
    separator = ",";
  }
}

function* pairs(view: VersionView, stores: readonly string[]): Generator<Json> {
  for (const store of stores) {
    for (const [key, value] of view.store(store).iterate({})) {
      yield { store, key: toBase64(key), value: toBase64(value) };
    }
  }
}
