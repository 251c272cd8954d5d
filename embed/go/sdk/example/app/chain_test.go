package app_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cosmossdk.io/log"
	"cosmossdk.io/math"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	abci "github.com/cometbft/cometbft/abci/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	dbm "github.com/cosmos/cosmos-db"

	storetypes "cosmossdk.io/store/types"
	"github.com/cosmos/cosmos-sdk/baseapp"
	"github.com/cosmos/cosmos-sdk/client/flags"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	simtestutil "github.com/cosmos/cosmos-sdk/testutil/sims"
	sdktypes "github.com/cosmos/cosmos-sdk/types"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app"
)

const (
	chainID    = "example-test"
	planHeight = 5
	noteCount  = 400
)

var genesisTime = time.Unix(1_800_000_000, 0).UTC()

// binary runs f as a binary of that version does.
func binary(version string, f func()) {
	before := app.Version
	app.Version = version
	defer func() { app.Version = before }()
	f()
}

func settings(home string, more map[string]any) simtestutil.AppOptionsMap {
	all := simtestutil.AppOptionsMap{flags.FlagHome: home}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// newApp is the chain's application creator, as a command gets it.
func newApp(logger log.Logger, db dbm.DB, trace io.Writer, opts servertypes.AppOptions) servertypes.Application {
	chain, err := app.New(logger, db, trace, opts, baseapp.SetChainID(chainID))
	if err != nil {
		panic(err)
	}
	return chain
}

// home is that of a node of version 1 which has halted for a plan, without CometBFT's files.
func home(t *testing.T) string {
	t.Helper()
	path := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(path, "data"), 0o700))
	binary("1", func() {
		db := open(t, path)
		chain := newApp(log.NewNopLogger(), db, nil, settings(path, nil))
		initChain(t, chain)
		for height := int64(1); height < planHeight; height++ {
			if height == 3 {
				schedule(t, chain)
			}
			_, err := chain.FinalizeBlock(block(height))
			must(t, err)
			_, err = chain.Commit()
			must(t, err)
		}
		if _, err := chain.FinalizeBlock(block(planHeight)); err == nil {
			t.Fatal("version 1 goes on past the plan's height")
		}
		must(t, chain.Close())
	})
	return path
}

func block(height int64) *abci.RequestFinalizeBlock {
	return &abci.RequestFinalizeBlock{Height: height, Time: genesisTime.Add(time.Duration(height) * time.Second)}
}

func open(t *testing.T, home string) dbm.DB {
	t.Helper()
	db, err := dbm.NewGoLevelDB("application", filepath.Join(home, "data"), nil)
	must(t, err)
	return db
}

func initChain(t *testing.T, chain servertypes.Application) {
	t.Helper()
	encoding := chain.(*app.App)
	validators, err := simtestutil.CreateRandomValidatorSet()
	must(t, err)
	account := authtypes.NewBaseAccountWithAddress(sdktypes.AccAddress("an account of 20 byt"))
	balance := banktypes.Balance{
		Address: account.Address, Coins: sdktypes.NewCoins(sdktypes.NewCoin(sdktypes.DefaultBondDenom, math.NewInt(1_000_000))),
	}
	state, err := simtestutil.GenesisStateWithValSet(encoding.Codec, encoding.Basics().DefaultGenesis(encoding.Codec),
		validators, []authtypes.GenesisAccount{account}, balance)
	must(t, err)
	state["notes"], err = json.Marshal(map[string]any{"count": noteCount})
	must(t, err)
	document, err := json.Marshal(state)
	must(t, err)
	params := simtestutil.DefaultConsensusParams
	_, err = chain.InitChain(&abci.RequestInitChain{
		ChainId: chainID, Time: genesisTime, InitialHeight: 1, AppStateBytes: document,
		ConsensusParams: &cmtproto.ConsensusParams{Block: params.Block, Evidence: params.Evidence, Validator: params.Validator},
	})
	must(t, err)
}

// schedule is what governance does, without its votes.
func schedule(t *testing.T, chain servertypes.Application) {
	t.Helper()
	stores := chain.CommitMultiStore()
	key := stores.(interface {
		StoreKeysByName() map[string]storetypes.StoreKey
	}).StoreKeysByName()[upgradetypes.StoreKey]
	plan, err := (&upgradetypes.Plan{Name: "v2", Height: planHeight}).Marshal()
	must(t, err)
	stores.GetKVStore(key).Set(upgradetypes.PlanKey(), plan)
}

func handler(name string) string { return filepath.Join("..", "..", "testdata", name+".wasm") }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
