package rehearse

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"cosmossdk.io/log"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	abci "github.com/cometbft/cometbft/abci/types"
	dbm "github.com/cosmos/cosmos-db"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"github.com/cosmos/cosmos-sdk/client/flags"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse/internal/cowdb"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse/internal/pending"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/rehearse/internal/shadow"
)

// Options say which node's upgrade is rehearsed, and how.
type Options struct {
	// Home of the node. It must not be running.
	Home string
	// Backend of the application's database; "": goleveldb, which is opened to read only.
	Backend dbm.BackendType
	// BlockBackend is CometBFT's db_backend.
	BlockBackend string
	// NewApp makes the chain's application, of the new version.
	NewApp servertypes.AppCreator
	// AppOptions are what the application gets from files and flags; the home is replaced.
	AppOptions servertypes.AppOptions
	// Plan is the name to rehearse where none is scheduled; "": the plan in state.
	Plan string
	// IgnoreWaiting makes an empty block also where CometBFT has stored the block of the upgrade.
	IgnoreWaiting bool
	// SkipRestart leaves out what follows the block: committing it into memory, and starting the application again on it.
	SkipRestart bool
	Logger      log.Logger
	Trace       io.Writer
}

// Run runs the upgrade of a node on the node's own data, through the chain's own application, without writing to the
// home: what is written stays in memory. Where the node has halted for the upgrade, the app hash is that of the block which
// the new version will make. The Result of an upgrade that fails is not OK; the error is for a home, plan or
// application that cannot be rehearsed.
func Run(options Options) (Result, error) {
	stage, err := prepare(options)
	if err != nil {
		return Result{}, err
	}
	defer stage.close()
	result := Result{
		Plan: stage.plan.Name, Height: stage.height, Block: "empty", BlockTime: stage.request.Time.UTC().Format(time.RFC3339Nano),
		Gas: "0", GasLimit: "0", Stores: []Store{}, Versions: map[string]uint64{},
	}
	if stage.isWaiting {
		result.Block = "waiting"
	}
	failed := stage.perform(options, &result)
	if failed == nil {
		return result, nil
	}
	var coded *upgrade.Error
	result.Code, result.Message = codeOf(failed), failed.Error()
	if errors.As(failed, &coded) {
		result.Message = coded.Message
		if gas, ok := coded.Details["gas"]; ok {
			result.Gas = gas
		}
	}
	return result, nil
}

// stage is all that a rehearsal runs on.
type stage struct {
	base      dbm.DB
	copied    *cowdb.DB
	last      committed
	height    int64
	plan      upgradetypes.Plan
	isWaiting bool
	request   *abci.RequestFinalizeBlock
	home      shadow.Home
}

func prepare(options Options) (_ *stage, err error) {
	data := filepath.Join(options.Home, "data")
	s := &stage{}
	if s.base, err = openReadOnly(options.Backend, data); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	s.copied = cowdb.New(s.base)
	if s.last, err = readCommitted(s.copied); err != nil {
		return nil, err
	}
	s.height = s.last.version + 1
	if !options.IgnoreWaiting && s.last.isDue(s.height) {
		if s.request, err = pending.Block(data, options.BlockBackend, s.height); err != nil {
			return nil, unreadable("CometBFT's blocks", err)
		}
	}
	s.isWaiting = s.request != nil
	if s.plan, err = s.choosePlan(options.Plan); err != nil {
		return nil, err
	}
	if s.request == nil {
		s.request = &abci.RequestFinalizeBlock{Height: s.height, Time: s.last.time.Add(time.Second)}
	}
	info, err := json.Marshal(upgradetypes.Plan{Name: s.plan.Name, Height: s.height, Info: s.plan.Info})
	if err != nil {
		return nil, err
	}
	s.home, err = shadow.Make(options.Home, info)
	return s, err
}

func (s *stage) choosePlan(asked string) (upgradetypes.Plan, error) {
	scheduled := s.last.plan
	switch {
	case scheduled == nil && asked == "":
		return upgradetypes.Plan{}, failure("UPG_NOT_FOUND_PLAN", "no plan is scheduled: say which one to rehearse")
	case scheduled == nil:
		return upgradetypes.Plan{Name: asked, Height: s.height}, nil
	case asked != "" && asked != scheduled.Name:
		return upgradetypes.Plan{}, invalid("the plan %q is scheduled, not %q", scheduled.Name, asked)
	}
	plan := *scheduled
	if !s.isWaiting {
		plan.Height = s.height
	}
	return plan, nil
}

func (s *stage) close() {
	if s.base != nil {
		_ = s.base.Close()
	}
	if s.home.Path != "" {
		_ = s.home.Remove()
	}
}

func openReadOnly(backend dbm.BackendType, data string) (dbm.DB, error) {
	path := filepath.Join(data, "application.db")
	if _, err := os.Stat(path); err != nil {
		return nil, invalid("there is no database %s", path)
	}
	if backend == "" {
		backend = dbm.GoLevelDBBackend
	}
	var (
		db  dbm.DB
		err error
	)
	if backend == dbm.GoLevelDBBackend {
		db, err = dbm.NewGoLevelDBWithOpts("application", data, &opt.Options{
			ReadOnly: true, ErrorIfMissing: true, Filter: filter.NewBloomFilter(10),
		})
	} else {
		db, err = dbm.NewDB("application", backend, data)
	}
	if err != nil {
		return nil, unreadable("the application's database", err)
	}
	return db, nil
}

// unreadable: most of the time another process has the files.
func unreadable(what string, cause error) error {
	failed := failure(upgrade.CodeStoreIO, "%s cannot be opened (is the node running?): %v", what, cause)
	failed.Cause = cause
	return failed
}

// overridden are an application's options with another home.
type overridden struct {
	servertypes.AppOptions
	home string
}

func (o overridden) Get(name string) any {
	if name == flags.FlagHome {
		return o.home
	}
	if o.AppOptions == nil {
		return nil
	}
	return o.AppOptions.Get(name)
}
