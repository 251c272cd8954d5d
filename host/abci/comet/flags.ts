/** Flags of the Cosmos SDK's `start` that mean the same to CometBFT, which gets them where it is the engine. */
export const COMET_FLAGS: readonly string[] = [
  ...["consensus.create_empty_blocks", "consensus.create_empty_blocks_interval"],
  ...["consensus.double_sign_check_height", "p2p.external-address", "p2p.laddr", "p2p.persistent_peers", "p2p.pex"],
  ...["p2p.private_peer_ids", "p2p.seed_mode", "p2p.seeds", "p2p.unconditional_peer_ids", "priv_validator_laddr"],
  "rpc.pprof_laddr",
];
