package rehearse

import (
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cosmossdk.io/log"

	servertypes "github.com/cosmos/cosmos-sdk/server/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

// perform makes the application and its block, and starts the application again on what the block left.
func (s *stage) perform(options Options, result *Result) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = thrownError(thrown)
		}
		result.HostMemory = peakMemory()
	}()
	app, err := s.newApp(options)
	if err != nil {
		return cannotStart("the application does not start over this node's data", err)
	}
	defer func() { _ = app.Close() }()
	if !s.isWaiting {
		if err := makeDue(app.CommitMultiStore(), s.plan); err != nil {
			return err
		}
	}
	var done *sdk.Outcome
	defer sdk.Observe(func(outcome sdk.Outcome) { done = &outcome })()
	started := time.Now()
	response, err := app.FinalizeBlock(s.request)
	result.BlockMS = milliseconds(time.Since(started))
	if done != nil {
		fill(result, *done)
	}
	if err != nil {
		return err
	}
	if done == nil {
		return failure(upgrade.CodeInvalidArgument, "the block was made, and no Wasm handler ran for the plan %q", s.plan.Name)
	}
	result.AppHash = strings.ToUpper(hex.EncodeToString(response.AppHash))
	result.Stores = s.changes(rootsAfter(app.CommitMultiStore()), done.Report)
	if !options.SkipRestart {
		if err := s.restart(app, options, result); err != nil {
			result.AppHash = ""
			return err
		}
	}
	result.OK = true
	return nil
}

// restart commits the block into memory, and starts the application again on it as every node will.
func (s *stage) restart(app servertypes.Application, options Options, result *Result) error {
	started := time.Now()
	if _, err := app.Commit(); err != nil {
		return err
	}
	result.CommitMS = milliseconds(time.Since(started))
	_ = app.Close()
	again, err := s.newApp(options)
	if err != nil {
		return cannotStart("the upgrade applies but the node does not start again", err)
	}
	defer func() { _ = again.Close() }()
	if height := again.CommitMultiStore().LastCommitID().Version; height != s.height {
		return failure(upgrade.CodeInvalidArgument, "the upgrade applies but the node does not start again: it is at height %d, not %d",
			height, s.height)
	}
	return nil
}

// cannotStart: neither the handler nor the migration failed. A code of the application's own error is kept.
func cannotStart(what string, cause error) error {
	code := upgrade.CodeInvalidArgument
	var coded *upgrade.Error
	if errors.As(cause, &coded) {
		code = coded.Code
	}
	failed := failure(code, "%s: %v", what, cause)
	failed.Cause = cause
	return failed
}

// newApp makes the application. Its type has no error, so what cannot start panics.
func (s *stage) newApp(options Options) (app servertypes.Application, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = thrownError(thrown)
		}
	}()
	logger := options.Logger
	if logger == nil {
		logger = log.NewNopLogger()
	}
	return options.NewApp(logger, s.copied, options.Trace, overridden{options.AppOptions, s.home.Path}), nil
}

// fill copies what a handler did, or did until it failed.
func fill(result *Result, done sdk.Outcome) {
	result.HandlerSHA256, result.ChainID = done.SHA256, done.ChainID
	result.GasLimit = strconv.FormatUint(done.GasLimit, 10)
	result.HandlerMS = milliseconds(done.HandlerElapsed)
	if done.Report == nil {
		return
	}
	result.Gas = strconv.FormatUint(done.Report.Gas, 10)
	result.GuestMemory = int64(done.Report.MemoryPages) * pageBytes
	result.OverlayMemory = done.Report.OverlayBytes
	result.Versions = done.Versions
}

func (s *stage) changes(after map[string]string, run *upgrade.Report) []Store {
	stores := make([]Store, 0, len(after))
	for _, name := range slices.Sorted(maps.Keys(after)) {
		store := Store{Name: name, RootBefore: hex.EncodeToString(s.last.roots[name]), RootAfter: after[name]}
		for _, written := range run.Stores {
			if written.Name == name {
				store.Written, store.Deleted, store.WritesSHA256 = written.Written, written.Deleted, written.SHA256
			}
		}
		stores = append(stores, store)
	}
	return stores
}
