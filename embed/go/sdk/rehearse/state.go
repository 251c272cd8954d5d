package rehearse

import (
	"encoding/hex"
	"time"

	"cosmossdk.io/log"
	"cosmossdk.io/store/metrics"
	"cosmossdk.io/store/rootmulti"
	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	dbm "github.com/cosmos/cosmos-db"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// committed is what a node's database says about its last block.
type committed struct {
	version int64
	time    time.Time
	roots   map[string][]byte
	plan    *upgradetypes.Plan
}

// readCommitted opens the store of x/upgrade alone; the others are the application's.
func readCommitted(db dbm.DB) (last committed, err error) {
	defer recovered(&err, "open the last version")
	key := storetypes.NewKVStoreKey(upgradetypes.StoreKey)
	stores := rootmulti.NewStore(db, log.NewNopLogger(), metrics.NewNoOpMetrics())
	stores.MountStoreWithDB(key, storetypes.StoreTypeIAVL, nil)
	if err := stores.LoadLatestVersion(); err != nil {
		return committed{}, corrupt(err)
	}
	last = committed{version: stores.LatestVersion(), roots: map[string][]byte{}}
	if last.version == 0 {
		return committed{}, failure("UPG_NOT_FOUND_VERSION", "the database holds no block")
	}
	info, err := stores.GetCommitInfo(last.version)
	if err != nil {
		return committed{}, corrupt(err)
	}
	last.time = info.Timestamp
	for _, store := range info.StoreInfos {
		last.roots[store.Name] = store.CommitId.Hash
	}
	if encoded := stores.GetKVStore(key).Get(upgradetypes.PlanKey()); encoded != nil {
		last.plan = &upgradetypes.Plan{}
		if err := last.plan.Unmarshal(encoded); err != nil {
			return committed{}, corrupt(err)
		}
	}
	return last, nil
}

func corrupt(cause error) error {
	failed := failure(upgrade.CodeStoreCorrupt, "the node's last version cannot be read: %v", cause)
	failed.Cause = cause
	return failed
}

func (c committed) isDue(height int64) bool {
	return c.plan != nil && c.plan.ShouldExecute(height)
}

// keyed is a commit store whose keys can be found by name: rootmulti is one.
type keyed interface {
	StoreKeysByName() map[string]storetypes.StoreKey
}

// makeDue schedules the plan for the next block, in the copy of the state.
func makeDue(stores storetypes.CommitMultiStore, plan upgradetypes.Plan) error {
	named, ok := stores.(keyed)
	if !ok {
		return invalid("the stores of this application (%T) cannot be found by name: halt the node at the height, then rehearse", stores)
	}
	encoded, err := plan.Marshal()
	if err != nil {
		return err
	}
	stores.GetKVStore(named.StoreKeysByName()[upgradetypes.StoreKey]).Set(upgradetypes.PlanKey(), encoded)
	return nil
}

// rootsAfter are the roots of the stores in the block that was executed and is not committed.
func rootsAfter(stores storetypes.CommitMultiStore) map[string]string {
	roots := map[string]string{}
	named, ok := stores.(keyed)
	if !ok {
		return roots
	}
	for name, key := range named.StoreKeysByName() {
		if store := stores.GetCommitKVStore(key); store != nil && store.GetStoreType() == storetypes.StoreTypeIAVL {
			roots[name] = hex.EncodeToString(store.WorkingHash())
		}
	}
	return roots
}
