package main

import (
	"errors"
	"io"
	"os"

	"cosmossdk.io/log"
	upgradecli "cosmossdk.io/x/upgrade/client/cli"
	cmtcfg "github.com/cometbft/cometbft/config"
	dbm "github.com/cosmos/cosmos-db"
	"github.com/spf13/cobra"

	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/client/config"
	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/cosmos/cosmos-sdk/client/keys"
	"github.com/cosmos/cosmos-sdk/codec/address"
	"github.com/cosmos/cosmos-sdk/server"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	simtestutil "github.com/cosmos/cosmos-sdk/testutil/sims"
	sdk "github.com/cosmos/cosmos-sdk/types"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	genutilcli "github.com/cosmos/cosmos-sdk/x/genutil/client/cli"
	govcli "github.com/cosmos/cosmos-sdk/x/gov/client/cli"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse"
)

func rootCmd() (*cobra.Command, error) {
	// The command line needs the modules and the encoding of the chain, and none of its state.
	chain, err := app.New(log.NewNopLogger(), dbm.NewMemDB(), nil, simtestutil.EmptyAppOptions{})
	if err != nil {
		return nil, err
	}
	clientCtx := client.Context{}.WithCodec(chain.Codec).WithInterfaceRegistry(chain.Registry).
		WithTxConfig(chain.TxConfig).WithLegacyAmino(chain.Amino).WithInput(os.Stdin).
		WithAccountRetriever(authtypes.AccountRetriever{}).WithHomeDir(app.DefaultHome()).WithViper("EXAMPLED")

	root := &cobra.Command{
		Use:           app.Name,
		Short:         "A chain whose upgrade is a Wasm handler",
		SilenceErrors: false,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			ctx, err := client.ReadPersistentCommandFlags(clientCtx.WithCmdContext(cmd.Context()), cmd.Flags())
			if err != nil {
				return err
			}
			if ctx, err = config.ReadFromClientConfig(ctx); err != nil {
				return err
			}
			if err := client.SetCmdClientContextHandler(ctx, cmd); err != nil {
				return err
			}
			return server.InterceptConfigsPreRunHandler(cmd, "", nil, cmtcfg.DefaultConfig())
		},
	}
	server.AddCommands(root, app.DefaultHome(), newApp, export, func(*cobra.Command) {})
	root.AddCommand(
		server.StatusCommand(),
		genutilcli.InitCmd(chain.Basics(), app.DefaultHome()),
		genutilcli.Commands(chain.TxConfig, chain.Basics(), app.DefaultHome()),
		keys.Commands(),
		txCmd(),
		rehearse.Command(newApp, app.DefaultHome()),
	)
	return root, nil
}

func txCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "tx", Short: "Send transactions", RunE: client.ValidateCmd}
	cmd.AddCommand(
		govcli.NewTxCmd(nil),
		upgradecli.GetTxCmd(address.NewBech32Codec(sdk.Bech32PrefixAccAddr)),
	)
	cmd.PersistentFlags().String(flags.FlagChainID, "", "The network chain ID")
	return cmd
}

func newApp(logger log.Logger, db dbm.DB, trace io.Writer, opts servertypes.AppOptions) servertypes.Application {
	chain, err := app.New(logger, db, trace, opts, server.DefaultBaseappOptions(opts)...)
	if err != nil {
		panic(err) // the SDK's type for this function has no error
	}
	return chain
}

func export(log.Logger, dbm.DB, io.Writer, int64, bool, []string, servertypes.AppOptions, []string) (servertypes.ExportedApp, error) {
	return servertypes.ExportedApp{}, errors.New("the example chain exports no genesis")
}
