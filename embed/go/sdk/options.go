package sdk

import (
	"context"
	"fmt"
	"os"
	"time"

	"cosmossdk.io/log"
	storetypes "cosmossdk.io/store/types"

	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// ReceiptsStore is the name that the store of receipts has by convention.
const ReceiptsStore = "wasmupgrade"

// Options say which handler an upgrade runs, and over which stores.
type Options struct {
	// File is the handler's path; it is read once, by New. Give this or Bytes.
	File  string
	Bytes []byte
	// SHA256 that the file must have, lower-case hex, whatever a plan says; "": any.
	SHA256 string
	// RequirePin refuses a plan whose info pins no handler: {"handler":{"sha256":"…"}}. Without it such a plan runs the
	// file that is there.
	RequirePin bool

	// Keys are the chain's store keys by the names that the handler's manifest uses. Keys that it does not use are
	// allowed, so that the map of all keys can be given.
	Keys map[string]*storetypes.KVStoreKey

	// Migrations are the chain's own, written in Go: RunMigrations of its module manager. They leave the modules alone
	// that the handler migrates, begins or removes, and do the rest. nil: there are none.
	Migrations func(ctx context.Context, from module.VersionMap) (module.VersionMap, error)
	// MigrationsFirst runs them before the handler instead of after it.
	MigrationsFirst bool

	// Receipts is the store in which what the handler did is recorded by plan, so that it can be proven. nil: no receipt.
	Receipts *storetypes.KVStoreKey
	// AddReceipts makes the store with this upgrade: true for the first upgrade of a chain that has receipts.
	AddReceipts bool

	// Applied is called after an upgrade that succeeded, with how long it took; the block is not committed yet. nil: no call.
	Applied func(report upgrade.Report, elapsed time.Duration)
	// Logger gets the handler's lines; nil: the logger of the block's context.
	Logger log.Logger
	// Overlay bounds what the handler's writes take until they are written.
	Overlay upgrade.OverlayOptions
	// Interpreter runs the handler without compiling it: some 20 times slower, for machines that wazero cannot compile for.
	Interpreter bool
}

func (options Options) file() ([]byte, error) {
	switch {
	case options.File != "" && options.Bytes != nil:
		return nil, invalid("give Options.File or Options.Bytes, not both")
	case options.Bytes != nil:
		return options.Bytes, nil
	case options.File == "":
		return nil, invalid("give Options.File or Options.Bytes")
	}
	bytes, err := os.ReadFile(options.File)
	if err != nil {
		failure := invalid("the handler cannot be read: %v", err)
		failure.Cause = err
		return nil, failure
	}
	return bytes, nil
}

// checkKeys finds a store without a key when the binary starts, not at the upgrade's height.
func (options Options) checkKeys(manifest upgrade.Manifest) error {
	for _, store := range manifest.Stores {
		if options.Keys[store.Name] == nil {
			return invalid("the handler uses the store %q, for which Options.Keys has no key", store.Name)
		}
	}
	if options.AddReceipts && options.Receipts == nil {
		return invalid("Options.AddReceipts without Options.Receipts")
	}
	return nil
}

func invalid(format string, args ...any) *upgrade.Error {
	return failure(upgrade.CodeInvalidArgument, format, args...)
}

func failure(code upgrade.Code, format string, args ...any) *upgrade.Error {
	return &upgrade.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
