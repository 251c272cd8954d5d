package sdk_test

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"

	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

func TestHandlerOverTheSDKsStoresGivesTheAppHashOfTheSameInGo(t *testing.T) {
	inWasm, byHand := newChain(t), newChain(t)

	options := inWasm.options("v2")
	options.Receipts = nil
	ctx, branch := inWasm.block()
	inWasm.must(inWasm.preBlock(ctx, options, ""))
	branch.Write()

	ctx, branch = byHand.block()
	byHand.keeper.SetUpgradeHandler("v2", func(_ context.Context, _ upgradetypes.Plan, from module.VersionMap) (module.VersionMap, error) {
		from[notesStore] = 2
		migrateNotes(ctx.KVStore(byHand.keys[notesStore]))
		return from, nil
	})
	byHand.must(byHand.keeper.ApplyUpgrade(ctx, upgradetypes.Plan{Name: "v2", Height: ctx.BlockHeight()}))
	branch.Write()

	got, want := inWasm.stores.Commit(), byHand.stores.Commit()
	if string(got.Hash) != string(want.Hash) {
		t.Fatalf("app hash %X, by hand %X", got.Hash, want.Hash)
	}
}

func TestHandlerLeavesVersionsDoneAReceiptAndEvents(t *testing.T) {
	c := newChain(t)
	ctx, branch := c.block()
	c.must(c.preBlock(ctx, c.options("v2"), ""))

	versions, err := c.keeper.GetModuleVersionMap(ctx)
	c.must(err)
	if versions["notes"] != 2 || versions["bank"] != 3 {
		t.Fatalf("versions %v", versions)
	}
	if height, err := c.keeper.GetDoneHeight(ctx, "v2"); err != nil || height != ctx.BlockHeight() {
		t.Fatalf("done at %d, %v", height, err)
	}
	receipt, err := sdk.ReadReceipt(branch.GetKVStore(c.keys[sdk.ReceiptsStore]), "v2")
	c.must(err)
	if receipt.Gas == 0 || receipt.Height != ctx.BlockHeight() || receipt.Stores[0].Written != noteCount {
		t.Fatalf("receipt %+v", receipt)
	}
	digest, _ := ctx.EventManager().Events()[1].GetAttribute("writes_sha256")
	if digest.Value != hex.EncodeToString(receipt.Stores[0].WritesSHA256) || len(digest.Value) != 64 {
		t.Fatalf("the event has the digest %q, the receipt %x", digest.Value, receipt.Stores[0].WritesSHA256)
	}
	_, err = sdk.ReadReceipt(branch.GetKVStore(c.keys[sdk.ReceiptsStore]), "v3")
	wantCode(t, err, "UPG_NOT_FOUND_RECEIPT")
	types := []string{}
	for _, event := range ctx.EventManager().Events() {
		types = append(types, event.Type)
	}
	if len(types) != 2 || types[0] != sdk.EventUpgrade || types[1] != sdk.EventStore {
		t.Fatalf("events %v", types)
	}
}

func TestHandlerThatFailsLeavesNothingAndAGoodOneFollows(t *testing.T) {
	for name, code := range map[string]upgrade.Code{
		"fails":   upgrade.CodeMigrationFailed,
		"unkept":  upgrade.CodeMigrationInvariant,
		"endless": upgrade.CodeMigrationOutOfGas,
		"strays":  upgrade.CodeHandlerTrap,
		"grows":   upgrade.CodeHandlerTrap,
		"layout":  upgrade.CodeHandlerLayout,
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			before := c.pairs(c.stores)
			ctx, branch := c.block()
			wantCode(t, c.preBlock(ctx, c.options(name), ""), code)
			if c.pairs(branch) != before {
				t.Fatal("the block's branch differs")
			}
			if len(ctx.EventManager().Events()) != 0 {
				t.Fatal("there are events")
			}
			c.must(c.preBlock(ctx, c.options("v2"), ""))
		})
	}
}

func TestHandlerUnderAContextThatEndedLeavesNothing(t *testing.T) {
	c := newChain(t)
	before := c.pairs(c.stores)
	ctx, branch := c.block()
	ended, end := context.WithCancel(context.Background())
	end()
	err := c.preBlock(ctx.WithContext(ended), c.options("v2"), "")
	wantCode(t, err, upgrade.CodeHandlerEngine)
	if !errors.Is(err, context.Canceled) || c.pairs(branch) != before {
		t.Fatalf("%v", err)
	}
}
