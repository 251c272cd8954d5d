package sdk

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

// RehearseCmd is a command for the chain's binary: it runs the upgrade on the node's own database, without writing to the
// home, and prints what would come out.
//
//	root.AddCommand(sdk.RehearseCmd(newApp, defaultHome))
func RehearseCmd(newApp servertypes.AppCreator, defaultHome string) *cobra.Command {
	var (
		options RehearseOptions
		asJSON  bool
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Run the upgrade on this node's data, and write nothing to it",
		Long: `Runs the scheduled upgrade with this binary on the database of a stopped node. Nothing is written to the home: what the
upgrade writes stays in memory.

Where the node has halted for the upgrade and CometBFT runs in its process, the block is the one that waits, and the app
hash is that which this binary will get for it. Before that, the block is an empty one after the last, and the app hash is
of that block.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			ctx := server.GetServerContextFromCmd(cmd)
			options.Home, options.NewApp, options.AppOptions = ctx.Config.RootDir, newApp, ctx.Viper
			options.Backend, options.BlockBackend = server.GetAppDBBackend(ctx.Viper), ctx.Config.DBBackend
			if verbose {
				options.Logger = log.NewLogger(cmd.ErrOrStderr())
			}
			result, err := Rehearse(options)
			if err != nil {
				return err
			}
			if err := printRehearsal(cmd.OutOrStdout(), result, asJSON, options.Commit); err != nil {
				return err
			}
			if !result.OK {
				return errors.New("the upgrade would fail: " + result.Code)
			}
			return nil
		},
	}
	cmd.Flags().String(flags.FlagHome, defaultHome, "The application home directory")
	cmd.Flags().StringVar(&options.Plan, "plan", "", "the plan to rehearse where none is scheduled")
	cmd.Flags().BoolVar(&options.IgnoreWaiting, "empty-block", false, "make an empty block also where the block of the upgrade waits")
	cmd.Flags().BoolVar(&options.Commit, "commit", false, "commit the block too, into memory, to see how long it takes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "the application's log, to stderr")
	return cmd
}

func printRehearsal(out io.Writer, result Rehearsal, asJSON, isCommitted bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		return encoder.Encode(result)
	}
	if !result.OK {
		_, err := fmt.Fprintf(out, "FAILED    plan %q in block %d (%s)\ncode      %s\nmessage   %s\ngas       %s of %s\n",
			result.Plan, result.Height, result.Block, result.Code, result.Message, result.Gas, result.GasLimit)
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
	_, err := fmt.Fprintf(out, "app hash  %s\n", result.AppHash)
	return err
}
