package sdk

import (
	"context"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/baseapp"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// Upgrade is a handler that is loaded and fits the chain's store keys.
type Upgrade struct {
	options Options
	handler *upgrade.Handler
}

// New loads a handler. It fails with the codes of upgrade.LoadHandler, and with UPG_INVALID_ARGUMENT when the file cannot
// be read or a store of its manifest has no key.
func New(options Options) (*Upgrade, error) {
	file, err := options.file()
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
	if err := options.checkKeys(handler.Manifest); err != nil {
		_ = handler.Close(context.Background())
		return nil, err
	}
	return &Upgrade{options: options, handler: handler}, nil
}

// Name is the plan's name that the handler is for.
func (u *Upgrade) Name() string { return u.handler.Manifest.Name }

// SHA256 of the file, lower-case hex: what a plan pins.
func (u *Upgrade) SHA256() string { return u.handler.SHA256 }

// Manifest is what the handler declares.
func (u *Upgrade) Manifest() upgrade.Manifest { return u.handler.Manifest }

// Close gives up the handler's compiled code.
func (u *Upgrade) Close(ctx context.Context) error { return u.handler.Close(ctx) }

// StoreUpgrades are those of the manifest, and the store of receipts where this upgrade adds it. A store is deleted only
// while its key is mounted: the SDK ignores a deleted store that the new binary does not know.
func (u *Upgrade) StoreUpgrades() *storetypes.StoreUpgrades {
	declared := u.handler.Manifest.StoreUpgrades
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

// Handler is what x/upgrade calls at the plan's height.
func (u *Upgrade) Handler() upgradetypes.UpgradeHandler { return u.apply }

// Keeper is the part of x/upgrade's keeper that Register uses.
type Keeper interface {
	SetUpgradeHandler(name string, handler upgradetypes.UpgradeHandler)
	ReadUpgradeInfoFromDisk() (upgradetypes.Plan, error)
	IsSkipHeight(height int64) bool
}

// App is the part of an application that Register uses.
type App interface {
	SetStoreLoader(loader baseapp.StoreLoader)
}

// Register hands the handler to x/upgrade and, when the upgrade is what the node halted for, its store upgrades to the store
// loader. Call it before the application loads its stores.
func (u *Upgrade) Register(keeper Keeper, app App) error {
	keeper.SetUpgradeHandler(u.Name(), u.Handler())
	info, err := keeper.ReadUpgradeInfoFromDisk()
	if err != nil {
		wrapped := failure(upgrade.CodeStoreIO, "upgrade-info.json cannot be read: %v", err)
		wrapped.Cause = err
		return wrapped
	}
	if info.Name == u.Name() && !keeper.IsSkipHeight(info.Height) {
		app.SetStoreLoader(upgradetypes.UpgradeStoreLoader(info.Height, u.StoreUpgrades()))
	}
	return nil
}
