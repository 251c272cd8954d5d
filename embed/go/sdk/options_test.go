package sdk_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

func (c *chain) migration(options sdk.Options) *sdk.Upgrade {
	c.t.Helper()
	migration, err := sdk.New(options)
	c.must(err)
	c.t.Cleanup(func() { _ = migration.Close(context.Background()) })
	return migration
}

func planNow(c *chain) upgradetypes.Plan {
	return upgradetypes.Plan{Name: "v2", Height: c.stores.LatestVersion() + 1}
}

func versionsNow(c *chain) module.VersionMap {
	ctx, _ := c.block()
	versions, err := c.keeper.GetModuleVersionMap(ctx)
	c.must(err)
	return versions
}

func TestNewRefusesWhatCannotRun(t *testing.T) {
	good := file(t, "v2")
	keys := storetypes.NewKVStoreKeys("notes")
	flipped := bytes.Clone(good)
	flipped[len(flipped)-200] ^= 1
	absent := filepath.Join(t.TempDir(), "absent.wasm")
	for name, refused := range map[string]struct {
		options sdk.Options
		code    upgrade.Code
	}{
		"nothing":             {sdk.Options{Keys: keys}, upgrade.CodeInvalidArgument},
		"file and bytes":      {sdk.Options{File: absent, Bytes: good, Keys: keys}, upgrade.CodeInvalidArgument},
		"an absent file":      {sdk.Options{File: absent, Keys: keys}, upgrade.CodeInvalidArgument},
		"another plan":        {sdk.Options{Bytes: good, Plan: "v3", Keys: keys}, upgrade.CodeInvalidArgument},
		"another hash":        {sdk.Options{Bytes: good, Keys: keys, SHA256: strings.Repeat("ab", 32)}, upgrade.CodeHandlerHash},
		"no module":           {sdk.Options{Bytes: []byte("text"), Keys: keys}, upgrade.CodeHandlerFormat},
		"a cut file":          {sdk.Options{Bytes: good[:len(good)-1], Keys: keys}, upgrade.CodeHandlerFormat},
		"no key":              {sdk.Options{Bytes: good}, upgrade.CodeInvalidArgument},
		"receipts, no store":  {sdk.Options{Bytes: good, Keys: keys, AddReceipts: true}, upgrade.CodeInvalidArgument},
		"an empty file":       {sdk.Options{Bytes: []byte{}, Keys: keys}, upgrade.CodeHandlerFormat},
		"a hash cut in half":  {sdk.Options{Bytes: good, Keys: keys, SHA256: "abcd"}, upgrade.CodeHandlerHash},
		"a flipped byte, pin": {sdk.Options{Bytes: flipped, Keys: keys, SHA256: hash(good)}, upgrade.CodeHandlerHash},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sdk.New(refused.options)
			wantCode(t, err, refused.code)
		})
	}
}

func hash(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

func TestNewReadsTheFileOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v2.wasm")
	if err := os.WriteFile(path, file(t, "v2"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newChain(t)
	options := c.options("v2")
	options.Bytes, options.File = nil, path
	migration := c.migration(options)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	ctx, _ := c.block()
	_, err := migration.Handler()(ctx, planNow(c), versionsNow(c))
	c.must(err)
	if migration.SHA256() != hash(file(t, "v2")) || migration.Name() != "v2" || migration.Manifest().Stores[0].Name != "notes" {
		t.Fatalf("%s %s", migration.Name(), migration.SHA256())
	}
}

func TestStoreUpgradesAreThoseOfTheManifestAndTheReceipts(t *testing.T) {
	c := newChain(t)
	options := c.options("v2")
	if got := c.migration(options).StoreUpgrades(); len(got.Added)+len(got.Renamed)+len(got.Deleted) != 0 {
		t.Fatalf("%+v", got)
	}
	options.AddReceipts = true
	if got := c.migration(options).StoreUpgrades().Added; !reflect.DeepEqual(got, []string{sdk.ReceiptsStore}) {
		t.Fatalf("%v", got)
	}
}

func TestPlanPinsTheHandler(t *testing.T) {
	good, other := hash(file(t, "v2")), strings.Repeat("ab", 32)
	pin := func(sha256 string) string { return fmt.Sprintf(`{"handler":{"sha256":%q}}`, sha256) }
	for name, pinned := range map[string]struct {
		info       string
		isRequired bool
		code       upgrade.Code
	}{
		"its hash":             {info: pin(good)},
		"its hash, upper case": {info: pin(strings.ToUpper(good)), isRequired: true},
		"nothing":              {info: "see the forum"},
		"nothing, required":    {info: `{"binaries":{}}`, isRequired: true, code: upgrade.CodeHandlerHash},
		"another hash":         {info: pin(other), code: upgrade.CodeHandlerHash},
		"two handlers":         {info: `{"handler":{"sha256":"` + good + `"},"HANDLER":{"sha256":"` + other + `"}}`, code: upgrade.CodeInvalidPlanInfo},
		"no hash":              {info: pin("abc"), code: upgrade.CodeInvalidPlanInfo},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			options := c.options("v2")
			options.AllowUnpinned = !pinned.isRequired
			before := c.pairs(c.stores)
			ctx, branch := c.block()
			err := c.preBlock(ctx, options, pinned.info)
			if pinned.code == "" {
				c.must(err)
				return
			}
			wantCode(t, err, pinned.code)
			if c.pairs(branch) != before {
				t.Fatal("the block's branch differs")
			}
		})
	}
}

func TestMigrationsInGoRunBeforeOrAfterAndLeaveTheHandlersModulesAlone(t *testing.T) {
	for _, isFirst := range []bool{false, true} {
		c := newChain(t)
		var met module.VersionMap
		options := c.options("v2")
		options.MigrationsFirst = isFirst
		options.Migrations = func(_ context.Context, from module.VersionMap) (module.VersionMap, error) {
			met = from
			return module.VersionMap{"notes": from["notes"], "bank": 4, "upgrade": 2}, nil
		}
		ctx, _ := c.block()
		c.must(c.preBlock(ctx, options, ""))
		versions, err := c.keeper.GetModuleVersionMap(ctx)
		c.must(err)
		if met["notes"] != 2 || met["bank"] != 3 || versions["notes"] != 2 || versions["bank"] != 4 {
			t.Fatalf("first %v: met %v, stored %v", isFirst, met, versions)
		}
	}
}

func TestMigrationsInGoThatFailLeaveNothing(t *testing.T) {
	cause := errors.New("bank is broken")
	for _, isFirst := range []bool{false, true} {
		c := newChain(t)
		before := c.pairs(c.stores)
		options := c.options("v2")
		options.MigrationsFirst = isFirst
		options.Migrations = func(context.Context, module.VersionMap) (module.VersionMap, error) { return nil, cause }
		ctx, branch := c.block()
		err := c.preBlock(ctx, options, "")
		wantCode(t, err, upgrade.CodeMigrationFailed)
		if !errors.Is(err, cause) || c.pairs(branch) != before {
			t.Fatalf("first %v: %v", isFirst, err)
		}
	}
}

func TestMigrationsInGoOfABinaryOfAnotherLayoutAreRefused(t *testing.T) {
	c := newChain(t)
	options := c.options("v2")
	options.Migrations = func(context.Context, module.VersionMap) (module.VersionMap, error) {
		return module.VersionMap{"notes": 3, "bank": 3, "upgrade": 2}, nil
	}
	ctx, _ := c.block()
	wantCode(t, c.preBlock(ctx, options, ""), upgrade.CodeMigrationVersionMap)
}
