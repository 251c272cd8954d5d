package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cosmossdk.io/log"
	dbm "github.com/cosmos/cosmos-db"

	"github.com/cosmos/cosmos-sdk/client/flags"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse"
)

func rehearsed(t *testing.T, home, name string, change func(*rehearse.Options)) (result rehearse.Result, err error) {
	t.Helper()
	options := rehearse.Options{
		Home: home, NewApp: newApp, AppOptions: settings(home, map[string]any{app.FlagHandler: handler(name), app.FlagUnpinned: true}),
	}
	if change != nil {
		change(&options)
	}
	binary("2", func() { result, err = rehearse.Run(options) })
	return result, err
}

func TestRehearsePredictsTheAppHashAndWritesNothing(t *testing.T) {
	path := home(t)
	before := files(t, path)
	predicted, err := rehearsed(t, path, "v2", nil)
	must(t, err)
	if files(t, path) != before {
		t.Fatal("the home changed")
	}
	if !predicted.OK || predicted.Block != "empty" || predicted.Height != planHeight || predicted.Versions["notes"] != 2 {
		t.Fatalf("%+v", predicted)
	}
	at, err := time.Parse(time.RFC3339Nano, predicted.BlockTime)
	must(t, err)

	binary("2", func() {
		chain := newApp(log.NewNopLogger(), open(t, path), nil, settings(path, map[string]any{app.FlagHandler: handler("v2"), app.FlagUnpinned: true}))
		request := block(planHeight)
		request.Time = at
		response, err := chain.FinalizeBlock(request)
		must(t, err)
		if got := fmt.Sprintf("%X", response.AppHash); got != predicted.AppHash {
			t.Fatalf("app hash %s, rehearsed %s", got, predicted.AppHash)
		}
		_, err = chain.Commit()
		must(t, err)
		must(t, chain.Close())
	})
	if _, err := rehearsed(t, path, "v2", nil); err == nil || !strings.Contains(err.Error(), "UPG_NOT_FOUND_PLAN") {
		t.Fatalf("after the upgrade: %v", err)
	}
}

func TestRehearseOfAHandlerThatFailsSaysHow(t *testing.T) {
	path := home(t)
	before := files(t, path)
	for name, code := range map[string]string{
		"fails": "UPG_MIGRATION_FAILED", "endless": "UPG_MIGRATION_OUT_OF_GAS", "layout": "UPG_HANDLER_LAYOUT",
		"absent": "UPG_INVALID_ARGUMENT",
	} {
		result, err := rehearsed(t, path, name, nil)
		must(t, err)
		if result.OK || result.Code != code || result.Message == "" || result.AppHash != "" {
			t.Errorf("%s: %+v", name, result)
		}
	}
	if files(t, path) != before {
		t.Fatal("the home changed")
	}
}

// A binary that applies the upgrade and cannot open what it left: here it mounts a store that nobody added.
func TestRehearseFindsANodeThatDoesNotStartAgain(t *testing.T) {
	path := home(t)
	before := files(t, path)
	starts := 0
	result, err := rehearsed(t, path, "v2", func(o *rehearse.Options) {
		create := o.NewApp
		o.NewApp = func(logger log.Logger, db dbm.DB, trace io.Writer, opts servertypes.AppOptions) servertypes.Application {
			starts++
			home := opts.Get(flags.FlagHome).(string)
			return create(logger, db, trace, settings(home, map[string]any{
				app.FlagHandler: handler("v2"), app.FlagUnpinned: true, app.FlagNoReceipts: starts == 1,
			}))
		}
	})
	must(t, err)
	if result.OK || starts != 2 || !strings.Contains(result.Message, "applies but the node does not start again") || result.AppHash != "" {
		t.Fatalf("%d starts, %+v", starts, result)
	}
	if files(t, path) != before {
		t.Fatal("the home changed")
	}
}

func TestRehearseRefusesWhatCannotBeRehearsed(t *testing.T) {
	path := home(t)
	empty := t.TempDir()
	for name, refused := range map[string]struct {
		change func(*rehearse.Options)
		code   string
	}{
		"another plan": {func(o *rehearse.Options) { o.Plan = "v3" }, "UPG_INVALID_ARGUMENT"},
		"no home":      {func(o *rehearse.Options) { o.Home = filepath.Join(path, "absent") }, "UPG_INVALID_ARGUMENT"},
		"no database":  {func(o *rehearse.Options) { o.Home = empty }, "UPG_INVALID_ARGUMENT"},
	} {
		if _, err := rehearsed(t, path, "v2", refused.change); err == nil || !strings.Contains(err.Error(), refused.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	db := open(t, path)
	defer db.Close()
	if _, err := rehearsed(t, path, "v2", nil); err == nil || !strings.Contains(err.Error(), "UPG_STORE_IO") {
		t.Errorf("a running node: %v", err)
	}
}

// Links lead an application to what it reads besides its database; its own writes go beside the home.
func TestRehearseGivesTheApplicationAShadowOfTheHome(t *testing.T) {
	path := home(t)
	must(t, os.MkdirAll(filepath.Join(path, "wasm"), 0o700))
	must(t, os.WriteFile(filepath.Join(path, "wasm", "contract"), []byte("code"), 0o600))
	seen := ""
	result, err := rehearsed(t, path, "v2", func(o *rehearse.Options) {
		create := o.NewApp
		o.NewApp = wrap(create, func(shadow string) { seen = shadow })
	})
	must(t, err)
	if !result.OK || seen == "" || seen == path {
		t.Fatalf("home %q, %+v", seen, result)
	}
	if _, err := os.Stat(seen); !os.IsNotExist(err) {
		t.Fatalf("the shadow is still there: %v", err)
	}
}

func files(t *testing.T, home string) string {
	t.Helper()
	all := ""
	must(t, filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		sum := sha256.Sum256(content)
		all += path + " " + hex.EncodeToString(sum[:]) + "\n"
		return err
	}))
	return all
}

// wrap lets a test see the home that the application is given, and what is in it.
func wrap(create servertypes.AppCreator, see func(home string)) servertypes.AppCreator {
	return func(logger log.Logger, db dbm.DB, trace io.Writer, opts servertypes.AppOptions) servertypes.Application {
		home := opts.Get(flags.FlagHome).(string)
		if content, err := os.ReadFile(filepath.Join(home, "wasm", "contract")); err != nil || string(content) != "code" {
			panic("the shadow does not lead to the home's files")
		}
		see(home)
		return create(logger, db, trace, opts)
	}
}
