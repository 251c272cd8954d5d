package main

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"syscall"
	"time"

	"cosmossdk.io/core/header"
	"cosmossdk.io/log"
	"cosmossdk.io/store/metrics"
	"cosmossdk.io/store/rootmulti"
	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	dbm "github.com/cosmos/cosmos-db"

	sdktypes "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

const (
	cacheNodes = 781_250 // a node's iavl-cache-size unless it is set
	blockPairs = 100_000
	keyBytes   = 32
	valueBytes = 100
)

// measured is one migration with its commit.
type measured struct {
	upgrade, commit time.Duration
	// cpu of the process for both, which other processes of the machine change less than the time.
	cpu    time.Duration
	root   []byte
	report upgrade.Report
}

type chain struct {
	stores *rootmulti.Store
	db     dbm.DB
	a, b   *storetypes.KVStoreKey
}

func open(dir string) (*chain, error) {
	db, err := dbm.NewGoLevelDB("application", dir, nil)
	if err != nil {
		return nil, err
	}
	c := &chain{db: db, a: storetypes.NewKVStoreKey("a"), b: storetypes.NewKVStoreKey("b")}
	c.stores = rootmulti.NewStore(db, log.NewNopLogger(), metrics.NewNoOpMetrics())
	c.stores.SetIAVLCacheSize(cacheNodes)
	c.stores.MountStoreWithDB(c.a, storetypes.StoreTypeIAVL, nil)
	c.stores.MountStoreWithDB(c.b, storetypes.StoreTypeIAVL, nil)
	return c, c.stores.LoadLatestVersion()
}

// prepare writes the records in blocks, as a chain does over its life.
func prepare(dir string, pairs int) error {
	c, err := open(dir)
	if err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{1})
	for done := 0; done < pairs; {
		branch := c.stores.CacheMultiStore()
		store := branch.GetKVStore(c.a)
		for end := min(done+blockPairs, pairs); done < end; done++ {
			key, value := make([]byte, keyBytes), make([]byte, valueBytes)
			_, _ = random.Read(key)
			_, _ = random.Read(value)
			key[0] = 1
			binary.BigEndian.PutUint32(key[1:], uint32(done))
			store.Set(key, value)
		}
		branch.Write()
		c.stores.Commit()
	}
	return c.db.Close()
}

// migrate is the upgrade's block on a copy: branch, handler, write, commit.
// With a file it is the handler's, without one Go's.
func migrate(dir, file string) (result measured, err error) {
	c, err := open(dir)
	if err != nil {
		return result, err
	}
	defer c.db.Close()
	handler := c.byHand
	if file != "" {
		migration, err := sdk.New(sdk.Options{
			File:          file,
			AllowUnpinned: true,
			Keys:          map[string]*storetypes.KVStoreKey{"a": c.a, "b": c.b},
			Applied:       func(report upgrade.Report, _ time.Duration) { result.report = report },
		})
		if err != nil {
			return result, err
		}
		defer migration.Close(context.Background())
		handler = migration.Handler()
	}
	height := c.stores.LatestVersion() + 1
	branch := c.stores.CacheMultiStore()
	ctx := sdktypes.NewContext(branch, cmtproto.Header{Height: height}, false, log.NewNopLogger()).
		WithHeaderInfo(header.Info{Height: height, Time: time.Unix(1_800_000_000, 0)})
	runtime.GC()
	used, started := cpuTime(), time.Now()
	if _, err := handler(ctx, upgradetypes.Plan{Name: "rekey", Height: height}, module.VersionMap{"a": 1, "b": 1}); err != nil {
		return result, err
	}
	result.upgrade = time.Since(started)
	started = time.Now()
	branch.Write()
	result.root = c.stores.Commit().Hash
	result.commit, result.cpu = time.Since(started), cpuTime()-used
	return result, nil
}

func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// byHand is what a chain's developer writes.
func (c *chain) byHand(goCtx context.Context, _ upgradetypes.Plan, from module.VersionMap) (module.VersionMap, error) {
	ctx := sdktypes.UnwrapSDKContext(goCtx)
	a, b := ctx.KVStore(c.a), ctx.KVStore(c.b)
	records := a.Iterator([]byte{1}, []byte{2})
	defer records.Close()
	for ; records.Valid(); records.Next() {
		old := records.Key()
		key := append([]byte{2}, old[1:]...)
		b.Set(key, records.Value())
		a.Delete(old)
	}
	from["a"], from["b"] = 2, 2
	return from, nil
}
