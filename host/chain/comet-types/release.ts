/** The release of CometBFT whose blocks and RPC these are. */

/** What stock clients take for the protocol of a node: they choose their decoders by it. */
export const ENGINE_VERSION = "0.38.25";
/** Installs that release. */
export const INSTALL_ENGINE = `go install github.com/cometbft/cometbft/cmd/cometbft@v${ENGINE_VERSION}`;
/** Of that release; the embedded engine has no peers. */
export const P2P_PROTOCOL = 8n;
