package upgrade_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// A chain goes through an upgrade: what the core decides for its blocks, and what it keeps.
func ExampleCore() {
	core, err := upgrade.NewCore(context.Background(), upgrade.CoreOptions{})
	if err != nil {
		log.Fatal(err)
	}
	store := &upgrade.MemoryStore{} // yours: Get, Set, Delete, Iterator
	_ = core.SetVersionMap(store, upgrade.VersionMap{"auth": 1, "bank": 1})
	_ = core.Schedule(store, 5, upgrade.Plan{Name: "v2", Height: 10, Info: "see the forum"})

	plan, _ := core.PlanBytes(store)
	decision, _ := core.PreBlock(store, 10, upgrade.Facts{}) // the old program has no handler for it
	text, _ := core.HaltText(decision, 10, 1, plan)
	fmt.Println(decision)
	fmt.Println(text)

	decision, _ = core.PreBlock(store, 10, upgrade.Facts{HasHandler: true}) // the new one has
	fmt.Println(decision)
	_ = core.Apply(store, 10, plan, upgrade.VersionMap{"auth": 2, "bank": 2}, nil)
	done, _ := core.LastDone(store)
	versions, _ := core.VersionMap(store)
	fmt.Println(*done, versions)

	err = core.Schedule(store, 11, upgrade.Plan{Name: "v2", Height: 20})
	var failure *upgrade.Error
	fmt.Println(errors.As(err, &failure), failure.Code)
	// Output:
	// HaltUpgradeNeeded
	// UPGRADE "v2" NEEDED at height: 10: see the forum
	// Apply
	// {v2 10} map[auth:2 bank:2]
	// true UPG_INVALID_PLAN_DONE
}

// A handler runs over the stores of a chain, and its writes are handed on.
func ExampleHandler_Run() {
	ctx := context.Background()
	file, err := os.ReadFile("testdata/split-balances.wasm")
	if err != nil {
		log.Fatal(err)
	}
	handler, err := upgrade.LoadHandler(ctx, file, upgrade.LoadOptions{}) // SHA256: what the plan pins
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close(ctx)

	auth, bank := &upgrade.MemoryStore{}, &upgrade.MemoryStore{}
	_ = auth.Set([]byte("\x01ann"), []byte("\x0a\x03ann\x82\x01\x0a\x0a\x05plums\x12\x017"))
	input := upgrade.Input{
		ChainID: "example-1", Height: 10, Plan: upgrade.Plan{Name: "v2", Height: 10},
		Time:     time.Unix(1_800_000_000, 0), // of the block: a handler has no other clock, and its gas depends on it
		Versions: upgrade.VersionMap{"auth": 1, "bank": 1},
		Stores:   upgrade.Stores{"auth": auth, "bank": bank},
	}
	rehearsal, err := upgrade.Rehearse(ctx, handler, input) // writes nothing
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rehearsed:", rehearsal.Changes)

	run, err := handler.Run(ctx, input) // writes nothing yet
	if err != nil {
		log.Fatal(err)
	}
	for _, store := range run.Report.Stores {
		fmt.Println(store.Name, store.Written, "written")
	}
	if err := run.Write(); err != nil { // or run.Discard()
		log.Fatal(err)
	}
	balance, _ := bank.Get([]byte("\x02\x03annplums"))
	fmt.Printf("%s plums, %v\n", balance, run.Report.Versions)
	// Output:
	// rehearsed: [{auth 0 1 0 0} {bank 2 0 0 0}]
	// auth 1 written
	// bank 2 written
	// 7 plums, map[auth:2 bank:2]
}
