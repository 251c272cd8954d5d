package sdk

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cosmossdk.io/log"

	servertypes "github.com/cosmos/cosmos-sdk/server/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// perform makes the application and its block. Panics of the chain's code are how many of its failures look.
func (s *stage) perform(options RehearseOptions, result *Rehearsal) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = thrownError(thrown)
		}
		result.HostMemory = peakMemory()
	}()
	app := s.newApp(options)
	defer func() { _ = app.Close() }()
	if !s.isWaiting {
		if err := makeDue(app.CommitMultiStore(), s.plan); err != nil {
			return err
		}
	}
	rehearsals.record()
	started := time.Now()
	response, err := app.FinalizeBlock(s.request)
	result.BlockMS = milliseconds(time.Since(started))
	done := rehearsals.take()
	if done != nil {
		done.fill(result)
	}
	if err != nil {
		return err
	}
	if done == nil {
		return failure(upgrade.CodeInvalidArgument, "the block was made, and no Wasm handler ran for the plan %q", s.plan.Name)
	}
	result.OK, result.AppHash = true, strings.ToUpper(hex.EncodeToString(response.AppHash))
	result.Stores = s.changes(rootsAfter(app.CommitMultiStore()), done.run)
	if options.Commit {
		started = time.Now()
		_, err = app.Commit()
		result.CommitMS = milliseconds(time.Since(started))
	}
	return err
}

func (s *stage) newApp(options RehearseOptions) servertypes.Application {
	logger := options.Logger
	if logger == nil {
		logger = log.NewNopLogger()
	}
	return options.NewApp(logger, s.copied, options.Trace, overridden{options.AppOptions, s.home.Path})
}

// fill writes what a handler did, or did until it failed.
func (done *outcome) fill(result *Rehearsal) {
	result.HandlerSHA256, result.ChainID = done.sha256, done.chainID
	result.GasLimit = strconv.FormatUint(done.gasLimit, 10)
	result.HandlerMS = milliseconds(done.handlerElapsed)
	if done.run == nil {
		return
	}
	result.Gas = strconv.FormatUint(done.run.Gas, 10)
	result.GuestMemory = int64(done.run.MemoryPages) * pageBytes
	result.OverlayMemory = done.run.OverlayBytes
	result.Versions = done.versions
}

func (s *stage) changes(after map[string]string, run *upgrade.Report) []RehearsedStore {
	stores := make([]RehearsedStore, 0, len(after))
	for _, name := range slices.Sorted(maps.Keys(after)) {
		store := RehearsedStore{Name: name, RootBefore: hex.EncodeToString(s.last.roots[name]), RootAfter: after[name]}
		for _, written := range run.Stores {
			if written.Name == name {
				store.Written, store.Deleted, store.WritesSHA256 = written.Written, written.Deleted, written.SHA256
			}
		}
		stores = append(stores, store)
	}
	return stores
}
