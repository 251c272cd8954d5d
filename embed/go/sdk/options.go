package sdk

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

	"cosmossdk.io/log"
	storetypes "cosmossdk.io/store/types"

	sdktypes "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// ReceiptsStore is the name that the store of receipts has by convention.
const ReceiptsStore = "wasmupgrade"

// Options say which handler an upgrade runs, and over which stores.
type Options struct {
	// Bytes of the handler, embedded in the binary with //go:embed. Give these or File.
	Bytes []byte
	// File is the handler's path. New reads it once.
	File string
	// Plan is the name of the plan that the handler serves. With it, New accepts that File is missing: only a node that
	// executes the plan needs the file.
	Plan string
	// SHA256 that the file must have, lower-case hex, whatever a plan says; "": any.
	SHA256 string
	// AllowUnpinned also runs plans whose info pins no handler, with whatever file a node has. Without it such plans are
	// refused: {"handler":{"sha256":"…"}} is required.
	AllowUnpinned bool

	// Keys are all store keys of the chain, by name.
	Keys map[string]*storetypes.KVStoreKey
	// ModuleStores names the stores of each module whose store has another name than the module, or that has several or
	// none. Modules without an entry own the store of their own name. These entries are known already, and yours replace
	// them: auth has acc; interchainaccounts has icahost and icacontroller.
	ModuleStores map[string][]string
	// VitalModules are modules that a handler may remove only with allows.removeModules; nil: auth, bank, staking, gov,
	// upgrade and consensus.
	VitalModules []string

	// Migrations are the chain's own, written in Go: RunMigrations of its module manager. They leave the modules alone
	// that the handler migrates, begins or removes, and do the rest. nil: there are none.
	Migrations func(ctx context.Context, from module.VersionMap) (module.VersionMap, error)
	// MigrationsFirst runs them before the handler instead of after it.
	MigrationsFirst bool

	// Receipts is the store in which what the handler did is recorded by plan, so that it can be proven. nil: no receipt.
	Receipts *storetypes.KVStoreKey
	// AddReceipts creates that store with this upgrade, unless the chain has it.
	AddReceipts bool

	// Probe checks that the chain works on the upgraded state: for example that there are validators, and that a proposal can
	// be submitted. It runs after the handler, the guards and the migrations, over a branch that is always dropped. An error
	// or panic keeps the upgrade from being written. It counts as a failure of this node alone, which may be retried: the code
	// is UPG_HANDLER_ENGINE. nil: no check. A rehearsal runs it too.
	Probe func(ctx sdktypes.Context) error
	// ProbeIsDeterministic says that the probe depends on the state alone. Its failure is then that of the upgrade, with
	// UPG_MIGRATION_PROBE.
	ProbeIsDeterministic bool

	// Applied is called after an upgrade that succeeded, with how long it took; the block is not committed yet. nil: no call.
	Applied func(report upgrade.Report, elapsed time.Duration)
	// Logger gets the handler's lines; nil: the logger of the block's context.
	Logger log.Logger
	// Overlay bounds what the handler's writes take until they are written.
	Overlay upgrade.OverlayOptions
	// Interpreter runs the handler without compiling it: for machines that wazero cannot compile for. Moving
	// entries takes about 3 times as long, arithmetic more than 100 times.
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
		failure := invalid("cannot read the handler of the upgrade: %v. Put the file there, or embed it with Options.Bytes", err)
		failure.Cause = err
		return nil, failure
	}
	return bytes, nil
}

// check finds what cannot work when the binary starts, not at the upgrade's height.
func (options Options) check(manifest upgrade.Manifest) error {
	if options.Plan != "" && options.Plan != manifest.Name {
		return invalid("Options.Plan is %q, the handler is for the plan %q", options.Plan, manifest.Name)
	}
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

func (options Options) moduleStores() map[string][]string {
	stores := map[string][]string{"auth": {"acc"}, "interchainaccounts": {"icahost", "icacontroller"}}
	maps.Copy(stores, options.ModuleStores)
	return stores
}

func (options Options) vitalModules() []string {
	if options.VitalModules != nil {
		return options.VitalModules
	}
	return []string{"auth", "bank", "staking", "gov", "upgrade", "consensus"}
}

func invalid(format string, args ...any) *upgrade.Error {
	return failure(upgrade.CodeInvalidArgument, format, args...)
}

func failure(code upgrade.Code, format string, args ...any) *upgrade.Error {
	return &upgrade.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
