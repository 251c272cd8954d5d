package sdk

import (
	"context"
	"errors"
	"io/fs"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/baseapp"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// Upgrade is a handler that fits the chain's store keys.
type Upgrade struct {
	options Options
	// handler is nil if its file is missing.
	handler *upgrade.Handler
	missing error
	// app is set by Register.
	app App
}

// New loads a handler. It fails with the codes of upgrade.LoadHandler, and with UPG_INVALID_ARGUMENT if the file cannot be
// read or a store of its manifest has no key.
//
// A missing file is no error here if Options.Plan is set: a node that is past the plan does not need it. At the plan's
// height the node then halts with UPG_INVALID_ARGUMENT, and continues once the file is there.
func New(options Options) (*Upgrade, error) {
	file, err := options.file()
	if options.Plan != "" && errors.Is(err, fs.ErrNotExist) {
		return &Upgrade{options: options, missing: err}, nil
	}
	if err != nil {
		return nil, err
	}
	handler, err := upgrade.LoadHandler(context.Background(), file, upgrade.LoadOptions{
		SHA256:      options.SHA256,
		Interpreter: options.Interpreter,
	})
	if err != nil {
		return nil, err
	}
	if err := options.check(handler.Manifest); err != nil {
		_ = handler.Close(context.Background())
		return nil, err
	}
	return &Upgrade{options: options, handler: handler}, nil
}

// Name returns the name of the plan that the handler serves.
func (u *Upgrade) Name() string {
	if u.handler == nil {
		return u.options.Plan
	}
	return u.handler.Manifest.Name
}

// SHA256 returns the hash of the file that a plan pins, in lower-case hex; "" if the file is missing.
func (u *Upgrade) SHA256() string {
	if u.handler == nil {
		return ""
	}
	return u.handler.SHA256
}

// Manifest returns what the handler declares; nothing if the file is missing.
func (u *Upgrade) Manifest() upgrade.Manifest {
	if u.handler == nil {
		return upgrade.Manifest{}
	}
	return u.handler.Manifest
}

// Close releases the handler's compiled code.
func (u *Upgrade) Close(ctx context.Context) error {
	if u.handler == nil {
		return nil
	}
	return u.handler.Close(ctx)
}

// StoreUpgrades returns those of the manifest, and the store of receipts if AddReceipts is set. Do not mount the key of a
// store that the manifest deletes: the block would be committed, but no node could start again after it.
func (u *Upgrade) StoreUpgrades() *storetypes.StoreUpgrades {
	declared := u.Manifest().StoreUpgrades
	upgrades := &storetypes.StoreUpgrades{
		Added:   append([]string(nil), declared.Added...),
		Deleted: append([]string(nil), declared.Deleted...),
	}
	for _, rename := range declared.Renamed {
		upgrades.Renamed = append(upgrades.Renamed, storetypes.StoreRename{OldKey: rename.OldKey, NewKey: rename.NewKey})
	}
	if u.options.AddReceipts {
		upgrades.Added = append(upgrades.Added, u.options.Receipts.Name())
	}
	return upgrades
}

// Handler returns the function that x/upgrade calls at the plan's height.
func (u *Upgrade) Handler() upgradetypes.UpgradeHandler { return u.apply }

// Keeper is the part of x/upgrade's keeper that Register uses.
type Keeper interface {
	SetUpgradeHandler(name string, handler upgradetypes.UpgradeHandler)
	ReadUpgradeInfoFromDisk() (upgradetypes.Plan, error)
	IsSkipHeight(height int64) bool
}

// App is the part of an application that Register uses. BaseApp has it.
type App interface {
	SetStoreLoader(loader baseapp.StoreLoader)
	CommitMultiStore() storetypes.CommitMultiStore
}

// Register gives the handler to x/upgrade. If the node halted for this upgrade, it also gives its store upgrades to the
// store loader. Call it before the application loads its stores.
func (u *Upgrade) Register(keeper Keeper, app App) error {
	u.app = app
	keeper.SetUpgradeHandler(u.Name(), u.Handler())
	info, err := keeper.ReadUpgradeInfoFromDisk()
	if err != nil {
		wrapped := failure(upgrade.CodeStoreIO, "upgrade-info.json cannot be read: %v", err)
		wrapped.Cause = err
		return wrapped
	}
	if info.Name == u.Name() && !keeper.IsSkipHeight(info.Height) {
		app.SetStoreLoader(u.storeLoader(info.Height))
	}
	return nil
}
