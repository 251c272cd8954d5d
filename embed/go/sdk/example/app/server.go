package app

import (
	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/client/grpc/cmtservice"
	nodeservice "github.com/cosmos/cosmos-sdk/client/grpc/node"
	"github.com/cosmos/cosmos-sdk/server/api"
	"github.com/cosmos/cosmos-sdk/server/config"
	authtx "github.com/cosmos/cosmos-sdk/x/auth/tx"
)

// RegisterAPIRoutes gives the REST server the queries of the modules.
func (app *App) RegisterAPIRoutes(server *api.Server, _ config.APIConfig) {
	authtx.RegisterGRPCGatewayRoutes(server.ClientCtx, server.GRPCGatewayRouter)
	cmtservice.RegisterGRPCGatewayRoutes(server.ClientCtx, server.GRPCGatewayRouter)
	nodeservice.RegisterGRPCGatewayRoutes(server.ClientCtx, server.GRPCGatewayRouter)
	app.basics.RegisterGRPCGatewayRoutes(server.ClientCtx, server.GRPCGatewayRouter)
}

// RegisterTxService offers the simulation and the search of transactions.
func (app *App) RegisterTxService(ctx client.Context) {
	authtx.RegisterTxService(app.GRPCQueryRouter(), ctx, app.Simulate, app.Registry)
}

// RegisterTendermintService offers blocks and validators.
func (app *App) RegisterTendermintService(ctx client.Context) {
	cmtservice.RegisterTendermintService(ctx, app.GRPCQueryRouter(), app.Registry, app.Query)
}

// RegisterNodeService offers the node's settings.
func (app *App) RegisterNodeService(ctx client.Context, cfg config.Config) {
	nodeservice.RegisterNodeService(ctx, app.GRPCQueryRouter(), cfg)
}
