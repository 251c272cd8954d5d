// Package app is a chain of the Cosmos SDK that goes through an upgrade by a Wasm handler. Its upgrade is in upgrades.go;
// the rest is what every chain has: accounts, coins, staking, governance, x/upgrade, and the module notes.
package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"cosmossdk.io/log"
	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	abci "github.com/cometbft/cometbft/abci/types"
	dbm "github.com/cosmos/cosmos-db"

	"github.com/cosmos/cosmos-sdk/baseapp"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"
	consensustypes "github.com/cosmos/cosmos-sdk/x/consensus/types"
	govtypes "github.com/cosmos/cosmos-sdk/x/gov/types"
	stakingtypes "github.com/cosmos/cosmos-sdk/x/staking/types"

	wasmupgrade "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/notes"
)

// Name is the chain's binary.
const Name = "exampled"

// Version is the version of this binary, set when it is linked:
//
//	go build -ldflags "-X github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app.Version=2" ./cmd/exampled
var Version = "1"

// DefaultHome is where a node keeps its files unless --home says otherwise.
func DefaultHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "." + Name
	}
	return filepath.Join(home, "."+Name)
}

// App is the chain.
type App struct {
	*baseapp.BaseApp
	Encoding

	keys         map[string]*storetypes.KVStoreKey
	keepers      keepers
	modules      *module.Manager
	basics       module.BasicManager
	configurator module.Configurator
}

var _ servertypes.Application = (*App)(nil)

// New makes the chain over a database. The version's upgrade is registered before the stores are loaded, since it may
// change which there are.
func New(
	logger log.Logger, db dbm.DB, trace io.Writer, opts servertypes.AppOptions, base ...func(*baseapp.BaseApp),
) (*App, error) {
	app := &App{Encoding: NewEncoding()}
	app.BaseApp = baseapp.NewBaseApp(Name, logger, db, app.TxConfig.TxDecoder(), base...)
	app.SetCommitMultiStoreTracer(trace)
	app.SetInterfaceRegistry(app.Registry)
	app.SetTxEncoder(app.TxConfig.TxEncoder())

	app.keys = storetypes.NewKVStoreKeys(storeNames(opts)...)
	if err := app.addKeepers(logger, opts); err != nil {
		return nil, err
	}
	if err := app.addModules(); err != nil {
		return nil, err
	}
	if err := app.addUpgrade(logger, opts); err != nil {
		return nil, err
	}
	app.MountKVStores(app.keys)
	if err := app.setHooks(); err != nil {
		return nil, err
	}
	if err := app.LoadLatestVersion(); err != nil {
		return nil, fmt.Errorf("load the latest version: %w", err)
	}
	return app, nil
}

func storeNames(opts servertypes.AppOptions) []string {
	names := []string{
		authtypes.StoreKey, banktypes.StoreKey, stakingtypes.StoreKey, govtypes.StoreKey,
		consensustypes.StoreKey, upgradetypes.StoreKey, notes.ModuleName,
	}
	if hasReceipts(opts) {
		names = append(names, wasmupgrade.ReceiptsStore)
	}
	return names
}

// setHooks are the calls that BaseApp makes in a block.
func (app *App) setHooks() error {
	ante, err := app.anteHandler()
	if err != nil {
		return err
	}
	app.SetAnteHandler(ante)
	app.SetInitChainer(app.initChain)
	app.SetPreBlocker(func(ctx sdk.Context, _ *abci.RequestFinalizeBlock) (*sdk.ResponsePreBlock, error) {
		return app.modules.PreBlock(ctx)
	})
	app.SetBeginBlocker(app.modules.BeginBlock)
	app.SetEndBlocker(app.modules.EndBlock)
	return nil
}

// initChain is block 1: the module versions are stored too, since the first upgrade begins with them.
func (app *App) initChain(ctx sdk.Context, req *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	var genesis map[string]json.RawMessage
	if err := json.Unmarshal(req.AppStateBytes, &genesis); err != nil {
		return nil, err
	}
	if err := app.keepers.upgrade.SetModuleVersionMap(ctx, app.modules.GetVersionMap()); err != nil {
		return nil, err
	}
	return app.modules.InitGenesis(ctx, app.Codec, genesis)
}

// Basics are the modules as the command line needs them.
func (app *App) Basics() module.BasicManager { return app.basics }
