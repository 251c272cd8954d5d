package rehearse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"cosmossdk.io/log"
	"github.com/spf13/cobra"

	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/cosmos/cosmos-sdk/server"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
)

// Command is a command for the chain's binary: it runs the upgrade on the node's own database, without writing to the
// home, and prints what would come out.
//
//	root.AddCommand(rehearse.Command(newApp, defaultHome))
func Command(newApp servertypes.AppCreator, defaultHome string) *cobra.Command {
	var (
		options Options
		asJSON  bool
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Run the upgrade on this node's data, and write nothing to it",
		Long: `Runs the scheduled upgrade with this binary on the database of a stopped
node, commits the block into memory, and starts the application again on it.
Nothing is written to the home.

If the node has halted for the upgrade and CometBFT runs in its process, the
block is the one that CometBFT has stored, and the app hash is the one that
this binary will get for it. Otherwise the block is an empty one after the
last, and the app hash is that of this block.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			ctx := server.GetServerContextFromCmd(cmd)
			options.Home, options.NewApp, options.AppOptions = ctx.Config.RootDir, newApp, ctx.Viper
			options.Backend, options.BlockBackend = server.GetAppDBBackend(ctx.Viper), ctx.Config.DBBackend
			if verbose {
				options.Logger = log.NewLogger(cmd.ErrOrStderr())
			}
			result, err := Run(options)
			if err != nil {
				return err
			}
			if err := printRehearsal(cmd.OutOrStdout(), result, asJSON, !options.SkipRestart); err != nil {
				return err
			}
			if !result.OK {
				return errors.New("the upgrade would fail: " + result.Code)
			}
			return nil
		},
	}
	cmd.Flags().String(flags.FlagHome, defaultHome, "The application home directory")
	cmd.Flags().StringVar(&options.Plan, "plan", "", "the plan to rehearse if none is scheduled")
	cmd.Flags().BoolVar(&options.IgnoreWaiting, "empty-block", false, "make an empty block even if the block of the upgrade is stored")
	cmd.Flags().BoolVar(&options.SkipRestart, "skip-restart", false, "do not commit the block into memory and start on it again")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "the application's log, to stderr")
	return cmd
}

func printRehearsal(out io.Writer, result Result, asJSON, isCommitted bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		return encoder.Encode(result)
	}
	if !result.OK {
		_, err := fmt.Fprintf(out, "FAILED    plan %q in block %d (%s)\ncode      %s\nmessage   %s\n",
			result.Plan, result.Height, result.Block, result.Code, result.Message)
		if err == nil && result.GasLimit != "0" {
			_, err = fmt.Fprintf(out, "gas       %s of %s\n", result.Gas, result.GasLimit)
		}
		return err
	}
	fmt.Fprintf(out, "ok        plan %q in block %d (%s)\nhandler   sha256 %s\ngas       %s of %s\n",
		result.Plan, result.Height, result.Block, result.HandlerSHA256, result.Gas, result.GasLimit)
	fmt.Fprintf(out, "time      handler %d ms, block %d ms", result.HandlerMS, result.BlockMS)
	if isCommitted {
		fmt.Fprintf(out, ", commit into memory %d ms", result.CommitMS)
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "memory    handler %d bytes, its writes %d, process %d\n", result.GuestMemory, result.OverlayMemory, result.HostMemory)
	for _, store := range result.Stores {
		if store.WritesSHA256 != "" {
			fmt.Fprintf(out, "store     %s: %d written, %d deleted\n", store.Name, store.Written, store.Deleted)
		}
	}
	if isCommitted {
		fmt.Fprintln(out, "restart   starts again after the block")
	}
	_, err := fmt.Fprintf(out, "app hash  %s\n", result.AppHash)
	return err
}
