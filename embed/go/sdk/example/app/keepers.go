package app

import (
	"cosmossdk.io/log"
	upgradekeeper "cosmossdk.io/x/upgrade/keeper"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	"github.com/spf13/cast"

	corestore "cosmossdk.io/core/store"
	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/cosmos/cosmos-sdk/runtime"
	"github.com/cosmos/cosmos-sdk/server"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	sdk "github.com/cosmos/cosmos-sdk/types"
	authkeeper "github.com/cosmos/cosmos-sdk/x/auth/keeper"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	bankkeeper "github.com/cosmos/cosmos-sdk/x/bank/keeper"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"
	consensuskeeper "github.com/cosmos/cosmos-sdk/x/consensus/keeper"
	consensustypes "github.com/cosmos/cosmos-sdk/x/consensus/types"
	govkeeper "github.com/cosmos/cosmos-sdk/x/gov/keeper"
	govtypes "github.com/cosmos/cosmos-sdk/x/gov/types"
	stakingkeeper "github.com/cosmos/cosmos-sdk/x/staking/keeper"
	stakingtypes "github.com/cosmos/cosmos-sdk/x/staking/types"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/notes"
)

type keepers struct {
	account   authkeeper.AccountKeeper
	bank      bankkeeper.BaseKeeper
	staking   *stakingkeeper.Keeper
	gov       *govkeeper.Keeper
	consensus consensuskeeper.Keeper
	upgrade   *upgradekeeper.Keeper
	notes     notes.Keeper
}

// permissions are those of the modules' own accounts.
var permissions = map[string][]string{
	authtypes.FeeCollectorName:     nil,
	govtypes.ModuleName:            {authtypes.Burner},
	stakingtypes.BondedPoolName:    {authtypes.Burner, authtypes.Staking},
	stakingtypes.NotBondedPoolName: {authtypes.Burner, authtypes.Staking},
}

// authority is the account of governance: it alone may schedule an upgrade.
func authority() string { return authtypes.NewModuleAddress(govtypes.ModuleName).String() }

func (app *App) service(name string) corestore.KVStoreService {
	return runtime.NewKVStoreService(app.keys[name])
}

func (app *App) addKeepers(logger log.Logger, opts servertypes.AppOptions) error {
	k := &app.keepers
	k.consensus = consensuskeeper.NewKeeper(app.Codec, app.service(consensustypes.StoreKey), authority(), runtime.EventService{})
	app.SetParamStore(k.consensus.ParamsStore)
	k.account = authkeeper.NewAccountKeeper(app.Codec, app.service(authtypes.StoreKey), authtypes.ProtoBaseAccount,
		permissions, accountAddresses, sdk.Bech32PrefixAccAddr, authority())
	k.bank = bankkeeper.NewBaseKeeper(app.Codec, app.service(banktypes.StoreKey), k.account, nil, authority(), logger)
	k.staking = stakingkeeper.NewKeeper(app.Codec, app.service(stakingtypes.StoreKey), k.account, k.bank, authority(),
		validatorAddresses, consensusAddresses)
	k.gov = govkeeper.NewKeeper(app.Codec, app.service(govtypes.StoreKey), k.account, k.bank, k.staking, nil,
		app.MsgServiceRouter(), govtypes.DefaultConfig(), authority())

	skipped := map[int64]bool{}
	for _, height := range cast.ToIntSlice(opts.Get(server.FlagUnsafeSkipUpgrades)) {
		skipped[int64(height)] = true
	}
	home := cast.ToString(opts.Get(flags.FlagHome))
	k.upgrade = upgradekeeper.NewKeeper(skipped, app.service(upgradetypes.StoreKey), app.Codec, home, app.BaseApp, authority())
	k.notes = notes.NewKeeper(app.service(notes.ModuleName), notesLayout())
	return nil
}

// notesLayout is the layout of the notes that this version of the binary reads and writes.
func notesLayout() uint64 {
	if Version == "1" {
		return 1
	}
	return 2
}
