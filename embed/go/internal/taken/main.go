// Taken says of each file that is named whether the reader takes it and the metered module in it, without an engine.
// test/embed/go-bombs.test.ts of the repository runs it over the dearest files that the node takes.
package main

import (
	"fmt"
	"os"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

const memoryPagesMax = 512

func main() {
	for _, path := range os.Args[1:] {
		if what := refusal(path); what != "" {
			fmt.Printf("%s: %s\n", path, what)
			os.Exit(1)
		}
	}
	fmt.Printf("%d files are taken\n", len(os.Args)-1)
}

func refusal(path string) string {
	file, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	module, err := wasmfile.Parse(file)
	if err != nil {
		return err.Error()
	}
	for _, section := range module.Customs {
		if section.Name != "chain-upgrade.metered" {
			continue
		}
		metered, err := wasmfile.ParseMetered(section.Payload)
		if err != nil {
			return "the metered module: " + err.Error()
		}
		return wasmfile.CompareMetered(module, metered, memoryPagesMax)
	}
	return "there is no metered module"
}
