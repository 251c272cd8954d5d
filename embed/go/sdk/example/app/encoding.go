package app

import (
	"cosmossdk.io/x/tx/signing"
	"github.com/cosmos/gogoproto/proto"

	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/codec"
	"github.com/cosmos/cosmos-sdk/codec/address"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	"github.com/cosmos/cosmos-sdk/std"
	sdk "github.com/cosmos/cosmos-sdk/types"
	authtx "github.com/cosmos/cosmos-sdk/x/auth/tx"
)

// Encoding is how the chain writes its messages and addresses.
type Encoding struct {
	Registry codectypes.InterfaceRegistry
	Codec    codec.Codec
	Amino    *codec.LegacyAmino
	TxConfig client.TxConfig
}

var (
	accountAddresses   = address.NewBech32Codec(sdk.Bech32PrefixAccAddr)
	validatorAddresses = address.NewBech32Codec(sdk.Bech32PrefixValAddr)
	consensusAddresses = address.NewBech32Codec(sdk.Bech32PrefixConsAddr)
)

// NewEncoding makes the encoding of the chain; the modules add their types.
func NewEncoding() Encoding {
	registry, err := codectypes.NewInterfaceRegistryWithOptions(codectypes.InterfaceRegistryOptions{
		ProtoFiles: proto.HybridResolver,
		SigningOptions: signing.Options{
			AddressCodec:          accountAddresses,
			ValidatorAddressCodec: validatorAddresses,
		},
	})
	if err != nil {
		panic(err) // the options above are constants
	}
	amino := codec.NewLegacyAmino()
	std.RegisterLegacyAminoCodec(amino)
	std.RegisterInterfaces(registry)
	cdc := codec.NewProtoCodec(registry)
	return Encoding{registry, cdc, amino, authtx.NewTxConfig(cdc, authtx.DefaultSignModes)}
}
