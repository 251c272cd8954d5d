// Package sdk runs chain-upgrade handlers in chains of the Cosmos SDK: a migration is one .wasm file, sandboxed, with its gas
// counted, and x/upgrade calls it as any other upgrade handler.
//
//	migration, err := sdk.New(sdk.Options{
//		Plan:       "v2",
//		Bytes:      v2, // //go:embed v2.wasm
//		Keys:       app.keys,
//		Migrations: func(ctx context.Context, from module.VersionMap) (module.VersionMap, error) {
//			return app.ModuleManager.RunMigrations(ctx, app.configurator, from)
//		},
//	})
//	if err != nil { … }
//	err = migration.Register(app.UpgradeKeeper, app)
//
// [New] reads and checks the file. [Upgrade.Register] gives the handler to x/upgrade, and the store upgrades of its manifest
// to the store loader. The module embed/go/sdk/rehearse has a command for the chain's binary that runs the upgrade on a node's
// own database without writing to it.
//
// Every failure is a *upgrade.Error of github.com/chain-upgrade/chain-upgrade/embed/go with a stable code. After one,
// nothing of the handler's is in the block's state: what it writes goes to a branch that is written to the block only
// when all of the upgrade has succeeded.
package sdk
