// exampled is a node and a client of the example chain.
package main

import (
	"fmt"
	"os"

	svrcmd "github.com/cosmos/cosmos-sdk/server/cmd"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app"
)

func main() {
	root, err := rootCmd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := svrcmd.Execute(root, "EXAMPLED", app.DefaultHome()); err != nil {
		os.Exit(1)
	}
}
