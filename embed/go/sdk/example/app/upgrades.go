package app

import (
	"context"
	"fmt"
	"path/filepath"

	"cosmossdk.io/log"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	"github.com/spf13/cast"

	"github.com/cosmos/cosmos-sdk/client/flags"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"

	wasmupgrade "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/notes"
)

// Settings of app.toml, or of the environment: EXAMPLED_UPGRADE_HANDLER.
const (
	// FlagHandler is the path of the handler; without it, handlers/v2.wasm in the home.
	FlagHandler = "upgrade-handler"
	// FlagByHand runs the upgrade's Go twin instead, with which the tests compare it.
	FlagByHand = "upgrade-by-hand"
	// FlagUnpinned also runs plans that pin no handler, so that tests can try several handlers for one plan.
	FlagUnpinned = "upgrade-unpinned"
	// FlagNoReceipts leaves the receipt out, so that both write the same.
	FlagNoReceipts = "upgrade-no-receipts"
)

// addUpgrade registers the upgrade to version 2.
func (app *App) addUpgrade(logger log.Logger, opts servertypes.AppOptions) error {
	home := cast.ToString(opts.Get(flags.FlagHome))
	if Version == "1" || home == "" {
		return nil // without a home it is the command line that asks for the modules and the encoding
	}
	if cast.ToBool(opts.Get(FlagByHand)) {
		return app.addByHand()
	}
	file := cast.ToString(opts.Get(FlagHandler))
	if file == "" {
		file = filepath.Join(home, "handlers", "v2.wasm")
	}
	return app.registerUpgrade(wasmupgrade.Options{
		Plan: "v2", File: file, AllowUnpinned: cast.ToBool(opts.Get(FlagUnpinned)), Logger: logger,
	})
}

// registerUpgrade gives x/upgrade the handler of a plan.
func (app *App) registerUpgrade(options wasmupgrade.Options) error {
	options.Keys = app.keys
	options.Migrations = app.migrate
	options.Receipts = app.keys[wasmupgrade.ReceiptsStore] // nil if this chain keeps none
	options.AddReceipts = options.Receipts != nil          // at the first upgrade that has them; later ones find the store
	options.Probe = app.probe
	options.ProbeIsDeterministic = true
	migration, err := wasmupgrade.New(options)
	if err != nil {
		return fmt.Errorf("upgrade %q: %w", options.Plan, err)
	}
	return migration.Register(app.keepers.upgrade, app)
}

// probe checks that the upgraded chain can go on: it has validators, and governance can read its parameters.
func (app *App) probe(ctx sdk.Context) error {
	validators, err := app.keepers.staking.GetBondedValidatorsByPower(ctx)
	if err != nil || len(validators) == 0 {
		return fmt.Errorf("%d bonded validators (%v)", len(validators), err)
	}
	_, err = app.keepers.gov.Params.Get(ctx)
	return err
}

// migrate runs what the modules have registered in Go.
func (app *App) migrate(ctx context.Context, from module.VersionMap) (module.VersionMap, error) {
	return app.modules.RunMigrations(ctx, app.configurator, from)
}

// addByHand is the same upgrade as a chain without handlers writes it.
func (app *App) addByHand() error {
	upgrades := app.keepers.upgrade
	upgrades.SetUpgradeHandler("v2", func(ctx context.Context, _ upgradetypes.Plan, from module.VersionMap) (module.VersionMap, error) {
		store := sdk.UnwrapSDKContext(ctx).KVStore(app.keys[notes.ModuleName])
		if err := notes.MigrateByHand(store); err != nil {
			return nil, err
		}
		from[notes.ModuleName] = 2
		return app.migrate(ctx, from)
	})
	return nil
}

// hasReceipts says whether this version keeps receipts, in a store that its upgrade adds.
func hasReceipts(opts servertypes.AppOptions) bool {
	return Version == "2" && !cast.ToBool(opts.Get(FlagByHand)) && !cast.ToBool(opts.Get(FlagNoReceipts))
}
