package sdk_test

import (
	"errors"
	"strings"
	"testing"

	sdktypes "github.com/cosmos/cosmos-sdk/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

func TestProbeSeesTheUpgradedStateAndWritesNothing(t *testing.T) {
	roots := map[bool]string{}
	for _, isProbed := range []bool{false, true} {
		c := newChain(t)
		options := c.options("v2")
		calls := 0
		if isProbed {
			options.Probe = func(ctx sdktypes.Context) error {
				calls++
				store := ctx.KVStore(c.keys[notesStore])
				if !store.Has(noteKey2("owner-6", 6)) || store.Has(noteKey1(6)) {
					t.Error("the probe does not see the upgraded state")
				}
				store.Set([]byte("probe"), []byte("written"))
				ctx.EventManager().EmitEvent(sdktypes.NewEvent("probe"))
				return nil
			}
		}
		ctx, branch := c.block()
		c.must(c.preBlock(ctx, options, ""))
		branch.Write()
		roots[isProbed] = string(c.stores.Commit().Hash)
		if isProbed && calls != 1 || len(ctx.EventManager().Events()) != 2 {
			t.Errorf("%d calls, %d events", calls, len(ctx.EventManager().Events()))
		}
	}
	if roots[true] != roots[false] {
		t.Error("the probe wrote")
	}
}

func TestProbeThatFailsKeepsTheUpgradeFromBeingWritten(t *testing.T) {
	cause := errors.New("no validators")
	for name, each := range map[string]struct {
		probe           func(sdktypes.Context) error
		isDeterministic bool
		code            upgrade.Code
		words           string
	}{
		"an error":                       {func(sdktypes.Context) error { return cause }, false, upgrade.CodeHandlerEngine, "failure of this node"},
		"a panic":                        {func(sdktypes.Context) error { panic(cause) }, false, upgrade.CodeHandlerEngine, "failure of this node"},
		"an error of the upgraded state": {func(sdktypes.Context) error { return cause }, true, upgrade.CodeMigrationProbe, "fails on every node"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			before := c.pairs(c.stores)
			options := c.options("v2")
			options.Probe, options.ProbeIsDeterministic = each.probe, each.isDeterministic
			ctx, branch := c.block()
			err := c.preBlock(ctx, options, "")
			wantCode(t, err, each.code)
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), each.words) || c.pairs(branch) != before {
				t.Fatalf("%v", err)
			}
			options.Probe = nil // and the node goes on from the same state
			c.must(c.preBlock(ctx, options, ""))
		})
	}
}
