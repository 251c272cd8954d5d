package sdk_test

import (
	"fmt"
	"strings"
	"testing"

	upgradetypes "cosmossdk.io/x/upgrade/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

func pinOf(t *testing.T, name string) string {
	return fmt.Sprintf(`{"handler":{"sha256":%q}}`, hash(file(t, name)))
}

// The way out that errors and README describe: a plan pins a handler that fails on every node.
func TestAPinnedHandlerThatFailsIsSkippedByTheOldBinaryAndProposedAgain(t *testing.T) {
	names := []string{notesStore, upgradetypes.StoreKey, sdk.ReceiptsStore}
	pinned := func(options *sdk.Options) { options.AllowUnpinned = false }
	c := newChain(t)
	c.stores.Commit()
	height := c.halt(pinOf(t, "fails"))
	skip := fmt.Sprintf("--unsafe-skip-upgrades %d on all nodes, then propose \"v2\" again", height)

	c.must(c.start(pinned, "fails", names...))
	err := c.next()
	wantCode(t, err, upgrade.CodeMigrationFailed)
	if !strings.Contains(err.Error(), skip) {
		t.Fatalf("it names no way out: %v", err)
	}
	c.must(c.start(pinned, "v2", names...))
	err = c.next()
	wantCode(t, err, upgrade.CodeHandlerHash)
	if !strings.Contains(err.Error(), skip) {
		t.Fatalf("it names no way out: %v", err)
	}

	// The old binary, which has no handler.
	c.skips = map[int64]bool{height: true}
	c.open(nil, names...)
	c.must(c.next())
	c.must(c.next())

	c.skips = nil
	c.open(nil, names...)
	c.halt(pinOf(t, "v2"))
	c.must(c.start(pinned, "v2", names...))
	c.must(c.next())
	c.must(c.start(pinned, "v2", names...))
	c.isInLayout2()
}
