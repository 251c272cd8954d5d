package app

import (
	"cosmossdk.io/x/upgrade"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"
	"github.com/cosmos/cosmos-sdk/x/auth"
	"github.com/cosmos/cosmos-sdk/x/auth/ante"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	"github.com/cosmos/cosmos-sdk/x/bank"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"
	"github.com/cosmos/cosmos-sdk/x/consensus"
	"github.com/cosmos/cosmos-sdk/x/genutil"
	genutiltypes "github.com/cosmos/cosmos-sdk/x/genutil/types"
	"github.com/cosmos/cosmos-sdk/x/gov"
	govtypes "github.com/cosmos/cosmos-sdk/x/gov/types"
	"github.com/cosmos/cosmos-sdk/x/staking"
	stakingtypes "github.com/cosmos/cosmos-sdk/x/staking/types"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/notes"
)

func (app *App) addModules() error {
	k := app.keepers
	app.modules = module.NewManager(
		genutil.NewAppModule(k.account, k.staking, app, app.TxConfig),
		auth.NewAppModule(app.Codec, k.account, nil, nil),
		bank.NewAppModule(app.Codec, k.bank, k.account, nil),
		staking.NewAppModule(app.Codec, k.staking, k.account, k.bank, nil),
		gov.NewAppModule(app.Codec, k.gov, k.account, k.bank, nil),
		consensus.NewAppModule(app.Codec, k.consensus),
		upgrade.NewAppModule(k.upgrade, accountAddresses),
		notes.NewModule(k.notes),
	)
	app.basics = module.NewBasicManagerFromManager(app.modules, map[string]module.AppModuleBasic{
		genutiltypes.ModuleName: genutil.NewAppModuleBasic(genutiltypes.DefaultMessageValidator),
	})
	app.basics.RegisterLegacyAminoCodec(app.Amino)
	app.basics.RegisterInterfaces(app.Registry)

	app.modules.SetOrderPreBlockers(upgradetypes.ModuleName, authtypes.ModuleName)
	app.modules.SetOrderBeginBlockers(stakingtypes.ModuleName)
	app.modules.SetOrderEndBlockers(govtypes.ModuleName, stakingtypes.ModuleName, notes.ModuleName)
	app.modules.SetOrderInitGenesis(authtypes.ModuleName, banktypes.ModuleName, stakingtypes.ModuleName,
		govtypes.ModuleName, upgradetypes.ModuleName, "consensus", notes.ModuleName, genutiltypes.ModuleName)

	app.configurator = module.NewConfigurator(app.Codec, app.MsgServiceRouter(), app.GRPCQueryRouter())
	return app.modules.RegisterServices(app.configurator)
}

func (app *App) anteHandler() (sdk.AnteHandler, error) {
	return ante.NewAnteHandler(ante.HandlerOptions{
		AccountKeeper:   app.keepers.account,
		BankKeeper:      app.keepers.bank,
		SignModeHandler: app.TxConfig.SignModeHandler(),
		SigGasConsumer:  ante.DefaultSigVerificationGasConsumer,
	})
}
