//go:build campaign

package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse"
)

const notes = 20_000

func handler(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", name+".wasm"))
	must(t, err)
	return path
}

func using(file string) string { return "EXAMPLED_UPGRADE_HANDLER=" + file }

// rehearsed runs the command of the new version on a home.
func rehearsed(t *testing.T, home string, environment ...string) rehearse.Result {
	t.Helper()
	cmd := exec.Command(binaries.v2, "rehearse", "--json", "--home", home)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.Output()
	var result rehearse.Result
	if json.Unmarshal(out, &result) != nil {
		t.Fatalf("rehearse: %v\n%s", err, out)
	}
	return result
}

// Governance schedules the plan, version 1 halts, bad handlers are refused one after the other, and the good one goes on
// from the same home.
func TestUpgradeRefusesBadHandlersAndGoesOnWithAGoodOne(t *testing.T) {
	home := newHome(t, notes)
	height := start(t, binaries.v1, home).halt("{}")
	byHandHome, sameHome := copyHome(t, home), copyHome(t, home)

	before := digest(t, home)
	predicted := rehearsed(t, home, using(handler(t, "v2")))
	if digest(t, home) != before {
		t.Fatal("the rehearsal changed the home")
	}
	if !predicted.OK || predicted.Block != "waiting" || predicted.Height != height {
		t.Fatalf("rehearsal: %+v", predicted)
	}
	t.Logf("rehearsed block %d: app hash %s, gas %s, handler %d ms, block %d ms, process %d MiB", height, predicted.AppHash,
		predicted.Gas, predicted.HandlerMS, predicted.BlockMS, predicted.HostMemory>>20)

	for _, bad := range badHandlers(t) {
		t.Run(bad.name, func(t *testing.T) { refuses(t, home, bad, predicted.AppHash) })
	}

	t.Run("good", func(t *testing.T) {
		node := start(t, binaries.v2, home, using(handler(t, "v2")))
		node.reach(height + 3)
		checkUpgraded(t, node, height, predicted)
	})
	t.Run("by hand", func(t *testing.T) {
		byHand := start(t, binaries.v2, byHandHome, "EXAMPLED_UPGRADE_BY_HAND=true")
		byHand.reach(height + 1)
		inWasm := start(t, binaries.v2, sameHome, "EXAMPLED_UPGRADE_NO_RECEIPTS=true", using(handler(t, "v2")))
		inWasm.reach(height + 1)
		want, _ := byHand.results(height)
		got, _ := inWasm.results(height)
		if got != want {
			t.Fatalf("app hash of block %d: handler %s, by hand %s", height, got, want)
		}
		t.Logf("app hash of block %d by handler and by hand: %s", height, got)
	})
}

type bad struct {
	name, file string
	code       upgrade.Code
}

func badHandlers(t *testing.T) []bad {
	t.Helper()
	garbage := filepath.Join(t.TempDir(), "garbage.wasm")
	write(t, garbage, "this is no module")
	cut := filepath.Join(t.TempDir(), "cut.wasm")
	write(t, cut, read(t, handler(t, "v2"))[:9_000])
	return []bad{
		{"fails by itself", handler(t, "fails"), upgrade.CodeMigrationFailed},
		{"finds its own check broken", handler(t, "unkept"), upgrade.CodeMigrationInvariant},
		{"never ends", handler(t, "endless"), upgrade.CodeMigrationOutOfGas},
		{"reaches for another key", handler(t, "strays"), upgrade.CodeHandlerTrap},
		{"takes all memory", handler(t, "grows"), upgrade.CodeHandlerTrap},
		{"wants another layout", handler(t, "layout"), upgrade.CodeHandlerLayout},
		{"is no module", garbage, upgrade.CodeHandlerFormat},
		{"is cut off", cut, upgrade.CodeHandlerFormat},
		{"is absent", filepath.Join(t.TempDir(), "absent.wasm"), upgrade.CodeInvalidArgument},
	}
}

// refuses starts the new version with a bad handler: it ends, and what the good one would give is what it was before.
func refuses(t *testing.T, home string, bad bad, appHash string) {
	log := start(t, binaries.v2, home, using(bad.file)).waitForEnd()
	if !strings.Contains(log, string(bad.code)) {
		t.Fatalf("the log has no %s:\n%s", bad.code, tail(log))
	}
	after := rehearsed(t, home, using(handler(t, "v2")))
	if !after.OK || after.AppHash != appHash {
		t.Fatalf("after it, the good handler gives %+v, not app hash %s", after, appHash)
	}
}

func checkUpgraded(t *testing.T, node *node, height int64, predicted rehearse.Result) {
	t.Helper()
	appHash, events := node.results(height)
	if appHash != predicted.AppHash {
		t.Fatalf("app hash of block %d: %s, rehearsed %s", height, appHash, predicted.AppHash)
	}
	attributes := map[string]string{}
	for _, event := range events {
		if event.Type != sdk.EventUpgrade && event.Type != sdk.EventStore {
			continue
		}
		for _, attribute := range event.Attributes {
			attributes[event.Type+"."+attribute.Key] = attribute.Value
		}
	}
	want := map[string]string{
		"wasm_upgrade.plan": "v2", "wasm_upgrade.gas": predicted.Gas, "wasm_upgrade.handler_sha256": predicted.HandlerSHA256,
		"wasm_upgrade_store.store": "notes",
	}
	for name, value := range want {
		if attributes[name] != value {
			t.Errorf("event attribute %s: %q, want %q", name, attributes[name], value)
		}
	}
	receipt, err := upgrade.DecodeReceipt(node.value(sdk.ReceiptsStore, []byte("v2")))
	must(t, err)
	if receipt.Height != height || hex.EncodeToString(receipt.HandlerSHA256) != predicted.HandlerSHA256 {
		t.Errorf("receipt: %+v", receipt)
	}
	// The first note of owner-0, and that of the block after the upgrade, are where version 2 keeps them.
	first := append([]byte("\x02\x08owner-0-"), 0, 0, 0, 0, 0, 0, 0, 0)
	if value := node.value("notes", first); !strings.HasPrefix(string(value), "note 0") {
		t.Errorf("note 0 is %q", value)
	}
	if value := node.value("notes", append([]byte{1}, first[len(first)-8:]...)); len(value) > 0 {
		t.Errorf("note 0 is still under its old key: %q", value)
	}
}

// A plan that pins a handler runs that one and no other.
func TestUpgradeRunsTheHandlerThatThePlanPins(t *testing.T) {
	home := newHome(t, 100)
	file := []byte(read(t, handler(t, "v2")))
	hash := sha256.Sum256(file)
	height := start(t, binaries.v1, home).halt(`{"binaries":{},"handler":{"sha256":"` + hex.EncodeToString(hash[:]) + `"}}`)

	refused := rehearsed(t, home, using(handler(t, "unkept")))
	if refused.OK || refused.Code != string(upgrade.CodeHandlerHash) {
		t.Fatalf("rehearsal with another file: %+v", refused)
	}
	predicted := rehearsed(t, home, using(handler(t, "v2")))
	refuses(t, home, bad{"another file", handler(t, "unkept"), upgrade.CodeHandlerHash}, predicted.AppHash)

	node := start(t, binaries.v2, home, using(handler(t, "v2")))
	node.reach(height + 2)
	checkUpgraded(t, node, height, predicted)
}

// Long before the height the same command makes an empty block of the state as it is.
func TestRehearseBeforeTheHeightMakesAnEmptyBlock(t *testing.T) {
	home := newHome(t, 1_000)
	node := start(t, binaries.v1, home)
	node.schedule("{}")
	node.until("the plan", func() bool { return len(node.value("upgrade", []byte{0})) > 0 })
	node.stop()
	before := digest(t, home)
	for _, extra := range [][]string{nil, {"--skip-restart"}} {
		cmd := exec.Command(binaries.v2, append([]string{"rehearse", "--json", "--home", home}, extra...)...)
		cmd.Env = append(os.Environ(), using(handler(t, "v2")))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		must(t, err)
		var result rehearse.Result
		must(t, json.Unmarshal(out, &result))
		if !result.OK || result.Block != "empty" || result.Versions["notes"] != 2 {
			t.Fatalf("rehearsal: %s", out)
		}
	}
	if digest(t, home) != before {
		t.Fatal("the rehearsal changed the home")
	}
}
