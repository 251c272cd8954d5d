package rehearse

import "time"

// Result is what an upgrade would do to a node, in the form that the command prints as JSON.
type Result struct {
	OK bool `json:"ok"`
	// Code and Message say why it failed.
	Code    string `json:"code"`
	Message string `json:"message"`

	Plan    string `json:"plan"`
	ChainID string `json:"chain_id"`
	Height  int64  `json:"height"`
	// Block is "waiting" for the very block that CometBFT has stored and the node halted at: then AppHash is the app hash
	// of that block. Else it is "empty": a block after the last one without transactions, for which the plan was made due.
	Block     string `json:"block"`
	BlockTime string `json:"block_time"`

	HandlerSHA256 string `json:"handler_sha256"`
	Gas           string `json:"gas"`
	GasLimit      string `json:"gas_limit"`
	// Milliseconds: of the handler alone, of the block with it, and of the commit into memory; 0 with SkipRestart.
	HandlerMS int64 `json:"handler_ms"`
	BlockMS   int64 `json:"block_ms"`
	CommitMS  int64 `json:"commit_ms"`
	// Bytes: of the handler's own memory, of its writes until they were written, and the most that this process had, 0 where
	// the system does not say.
	GuestMemory   int64 `json:"guest_memory"`
	OverlayMemory int64 `json:"overlay_memory"`
	HostMemory    int64 `json:"host_memory"`

	AppHash  string            `json:"app_hash"`
	Stores   []Store           `json:"stores"`
	Versions map[string]uint64 `json:"versions"`
}

// Store is a store of the new version.
type Store struct {
	Name string `json:"name"`
	// Root before and after the block, hex; before is empty for a store that is new.
	RootBefore string `json:"root_before"`
	RootAfter  string `json:"root_after"`
	// What the handler did, and the digest of its final writes; empty for a store that it may not write.
	Written      uint64 `json:"written"`
	Deleted      uint64 `json:"deleted"`
	WritesSHA256 string `json:"writes_sha256"`
}

func milliseconds(elapsed time.Duration) int64 { return elapsed.Milliseconds() }

// pageBytes is the size of a page of Wasm memory.
const pageBytes = 65_536
