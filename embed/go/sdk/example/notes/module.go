package notes

import (
	"context"
	"encoding/json"
	"fmt"

	"cosmossdk.io/core/appmodule"
	gwruntime "github.com/grpc-ecosystem/grpc-gateway/runtime"

	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/codec"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"
)

var (
	_ module.AppModuleBasic      = Module{}
	_ module.HasGenesis          = Module{}
	_ module.HasConsensusVersion = Module{}
	_ appmodule.HasEndBlocker    = Module{}
)

// Module wires the keeper into a chain. Its consensus version is the keeper's layout. It registers no migrations: the
// upgrade's handler makes them.
type Module struct{ keeper Keeper }

// NewModule makes the module of a keeper.
func NewModule(keeper Keeper) Module { return Module{keeper: keeper} }

func (Module) Name() string                                                  { return ModuleName }
func (Module) IsAppModule()                                                  {}
func (Module) IsOnePerModuleType()                                           {}
func (Module) RegisterLegacyAminoCodec(*codec.LegacyAmino)                   {}
func (Module) RegisterInterfaces(codectypes.InterfaceRegistry)               {}
func (Module) RegisterGRPCGatewayRoutes(client.Context, *gwruntime.ServeMux) {}

// ConsensusVersion is the number of the layout.
func (m Module) ConsensusVersion() uint64 { return m.keeper.version }

// DefaultGenesis has no notes.
func (Module) DefaultGenesis(codec.JSONCodec) json.RawMessage {
	return json.RawMessage(`{"notes":[],"count":0}`)
}

// ValidateGenesis refuses what is not of the form of Genesis.
func (Module) ValidateGenesis(_ codec.JSONCodec, _ client.TxEncodingConfig, document json.RawMessage) error {
	_, err := readGenesis(document)
	return err
}

// InitGenesis writes the notes of the genesis document.
func (m Module) InitGenesis(ctx sdk.Context, _ codec.JSONCodec, document json.RawMessage) {
	genesis, err := readGenesis(document)
	if err != nil {
		panic(err)
	}
	for _, note := range genesis.Notes {
		m.mustAdd(ctx, note)
	}
	for i := range genesis.Count {
		m.mustAdd(ctx, made(i))
	}
}

func (m Module) mustAdd(ctx sdk.Context, note Note) {
	if _, err := m.keeper.Add(ctx, note.Owner, note.Text); err != nil {
		panic(err)
	}
}

// ExportGenesis is not part of this chain: its tests never export.
func (Module) ExportGenesis(sdk.Context, codec.JSONCodec) json.RawMessage {
	panic("notes: the example chain exports no genesis")
}

// EndBlock adds a note in every block, so that it shows when a binary writes another layout than the state has.
func (m Module) EndBlock(ctx context.Context) error {
	height := sdk.UnwrapSDKContext(ctx).BlockHeight()
	_, err := m.keeper.Add(ctx, "chain", fmt.Sprintf("block %d", height))
	return err
}
