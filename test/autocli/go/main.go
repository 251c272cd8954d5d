// A client that has no code of any chain: the Cosmos SDK's client/v2 over what a node says of itself. Files come from
// cosmos.reflection.v1, modules from cosmos.app.v1alpha1, commands from cosmos.autocli.v1. No module of the Cosmos SDK is
// registered: a message that the node does not describe, or whose signer it does not name, cannot be sent.
package main

import (
	"context"
	"fmt"
	"os"

	appv1alpha1 "cosmossdk.io/api/cosmos/app/v1alpha1"
	authv1beta1 "cosmossdk.io/api/cosmos/auth/v1beta1"
	autocliv1 "cosmossdk.io/api/cosmos/autocli/v1"
	reflectionv1 "cosmossdk.io/api/cosmos/reflection/v1"
	"cosmossdk.io/client/v2/autocli"
	"cosmossdk.io/client/v2/autocli/flag"
	"cosmossdk.io/x/tx/signing"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/cosmos/cosmos-sdk/client/keys"
	"github.com/cosmos/cosmos-sdk/codec"
	"github.com/cosmos/cosmos-sdk/codec/address"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	cryptocodec "github.com/cosmos/cosmos-sdk/crypto/codec"
	authtx "github.com/cosmos/cosmos-sdk/x/auth/tx"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	govv1 "github.com/cosmos/cosmos-sdk/x/gov/types/v1"
)

// What a node says of itself.
type remote struct {
	files   *protoregistry.Files
	prefix  string
	modules []string
	options map[string]*autocliv1.ModuleOptions
}

func main() {
	root, err := rootCmd(context.Background(), os.Getenv("GRPC_ADDRESS"))
	if err == nil {
		err = root.ExecuteContext(context.WithValue(context.Background(), client.ClientContextKey, &client.Context{}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func rootCmd(ctx context.Context, address string) (*cobra.Command, error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	chain, err := ask(ctx, conn)
	if err != nil {
		return nil, err
	}
	return chain.commands(conn)
}

func ask(ctx context.Context, conn *grpc.ClientConn) (*remote, error) {
	described, err := reflectionv1.NewReflectionServiceClient(conn).
		FileDescriptors(ctx, &reflectionv1.FileDescriptorsRequest{})
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	files, err := protodesc.NewFiles(&descriptorpb.FileDescriptorSet{File: described.Files})
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	config, err := appv1alpha1.NewQueryClient(conn).Config(ctx, &appv1alpha1.QueryConfigRequest{})
	if err != nil {
		return nil, fmt.Errorf("modules: %w", err)
	}
	options, err := autocliv1.NewQueryClient(conn).AppOptions(ctx, &autocliv1.AppOptionsRequest{})
	if err != nil {
		return nil, fmt.Errorf("commands: %w", err)
	}
	prefix, err := authv1beta1.NewQueryClient(conn).Bech32Prefix(ctx, &authv1beta1.Bech32PrefixRequest{})
	if err != nil {
		return nil, fmt.Errorf("prefix: %w", err)
	}
	chain := &remote{files: files, prefix: prefix.Bech32Prefix, options: map[string]*autocliv1.ModuleOptions{}}
	for _, module := range config.Config.Modules {
		chain.modules = append(chain.modules, module.Name)
		chain.options[module.Name] = options.ModuleOptions[module.Name]
	}
	return chain, nil
}

func (chain *remote) commands(conn *grpc.ClientConn) (*cobra.Command, error) {
	accounts := address.NewBech32Codec(chain.prefix)
	validators := address.NewBech32Codec(chain.prefix + "valoper")
	clientCtx, err := chain.context(signing.Options{AddressCodec: accounts, ValidatorAddressCodec: validators})
	if err != nil {
		return nil, err
	}
	root := &cobra.Command{Use: "dynamic", SilenceErrors: true, PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
		own, err := client.ReadPersistentCommandFlags(clientCtx.WithCmdContext(cmd.Context()), cmd.Flags())
		if err != nil {
			return err
		}
		cmd.SetOut(os.Stdout)
		return client.SetCmdClientContextHandler(own, cmd)
	}}
	root.PersistentFlags().String(flags.FlagHome, "", "folder of the keyring")
	root.PersistentFlags().String(flags.FlagChainID, "", "chain id")
	root.AddCommand(keys.Commands())
	builder := &autocli.Builder{
		Builder: flag.Builder{
			TypeResolver:          dynamicpb.NewTypes(chain.files),
			FileResolver:          chain.files,
			AddressCodec:          accounts,
			ValidatorAddressCodec: validators,
			ConsensusAddressCodec: address.NewBech32Codec(chain.prefix + "valcons"),
		},
		GetClientConn:     func(*cobra.Command) (grpc.ClientConnInterface, error) { return conn, nil },
		AddQueryConnFlags: flags.AddQueryFlagsToCmd,
		AddTxConnFlags:    flags.AddTxFlagsToCmd,
	}
	options := autocli.AppOptions{ModuleOptions: chain.options, ClientCtx: clientCtx}
	return root, options.EnhanceRootCommandWithBuilder(root, builder)
}

// Signers are found by the node's files alone. Of Go types only keys, accounts and the envelope of a proposal are registered:
// what client/v2 itself is compiled with.
func (chain *remote) context(options signing.Options) (client.Context, error) {
	options.FileResolver = chain.files
	options.TypeResolver = dynamicpb.NewTypes(chain.files)
	registry, err := codectypes.NewInterfaceRegistryWithOptions(codectypes.InterfaceRegistryOptions{
		ProtoFiles: chain.files, SigningOptions: options,
	})
	if err != nil {
		return client.Context{}, err
	}
	cryptocodec.RegisterInterfaces(registry)
	authtypes.RegisterInterfaces(registry)
	govv1.RegisterInterfaces(registry)
	cdc := codec.NewProtoCodec(registry)
	return client.Context{}.WithCodec(cdc).WithInterfaceRegistry(registry).WithLegacyAmino(codec.NewLegacyAmino()).
		WithTxConfig(authtx.NewTxConfig(cdc, authtx.DefaultSignModes)).
		WithInput(os.Stdin).WithAccountRetriever(authtypes.AccountRetriever{}).WithViper("DYNAMIC"), nil
}
