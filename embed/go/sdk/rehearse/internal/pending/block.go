// Package pending finds the block that a halted node is about to make: CometBFT has stored it, and the application has not
// executed it yet.
package pending

import (
	"fmt"
	"os"
	"path/filepath"

	cmtdb "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"
	"github.com/cometbft/cometbft/types"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

// Block returns the request that CometBFT will make for this height, nil when it has no such block yet or runs as another
// process with files of its own. backend is CometBFT's db_backend.
func Block(data, backend string, height int64) (request *abci.RequestFinalizeBlock, err error) {
	if _, err := os.Stat(filepath.Join(data, "blockstore.db")); err != nil {
		return nil, nil
	}
	blocksDB, err := open("blockstore", backend, data)
	if err != nil {
		return nil, err
	}
	defer blocksDB.Close()
	blocks := store.NewBlockStore(blocksDB)
	if blocks.Height() < height {
		return nil, nil
	}
	block := blocks.LoadBlock(height)
	if block == nil {
		return nil, fmt.Errorf("block %d is not in %s", height, data)
	}
	commit, err := lastCommit(data, backend, block)
	if err != nil {
		return nil, err
	}
	return &abci.RequestFinalizeBlock{
		Hash:               block.Hash(),
		Height:             block.Height,
		Time:               block.Time,
		NextValidatorsHash: block.NextValidatorsHash,
		ProposerAddress:    block.ProposerAddress,
		DecidedLastCommit:  commit,
		Misbehavior:        block.Evidence.Evidence.ToABCI(),
		Txs:                block.Txs.ToSliceOfBytes(),
	}, nil
}

// lastCommit names the validators of the block before, who signed it or did not.
func lastCommit(data, backend string, block *types.Block) (abci.CommitInfo, error) {
	stateDB, err := open("state", backend, data)
	if err != nil {
		return abci.CommitInfo{}, err
	}
	defer stateDB.Close()
	states := state.NewStore(stateDB, state.StoreOptions{})
	now, err := states.Load()
	if err != nil {
		return abci.CommitInfo{}, err
	}
	if block.Height == now.InitialHeight {
		return abci.CommitInfo{}, nil
	}
	validators, err := states.LoadValidators(block.Height - 1)
	if err != nil {
		return abci.CommitInfo{}, err
	}
	return state.BuildLastCommitInfo(block, validators, now.InitialHeight), nil
}

// open reads without writing where the database can be opened so.
func open(name, backend, data string) (cmtdb.DB, error) {
	if backend == "" || cmtdb.BackendType(backend) == cmtdb.GoLevelDBBackend {
		return cmtdb.NewGoLevelDBWithOpts(name, data, &opt.Options{ReadOnly: true, ErrorIfMissing: true})
	}
	return cmtdb.NewDB(name, cmtdb.BackendType(backend), data)
}
