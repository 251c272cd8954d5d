package sdk

import (
	"context"
	"time"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	sdktypes "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// apply runs the upgrade in its block. Its writes stay in a branch until all of it has succeeded.
func (u *Upgrade) apply(goCtx context.Context, plan upgradetypes.Plan, from module.VersionMap) (module.VersionMap, error) {
	started := time.Now()
	ctx := sdktypes.UnwrapSDKContext(goCtx)
	done := Outcome{
		Plan: plan.Name, ChainID: ctx.ChainID(), Height: height(ctx),
		SHA256: u.SHA256(), GasLimit: u.Manifest().GasLimit,
	}
	versions, err := u.applyInBranch(goCtx, plan, from, &done)
	err = withWayOut(err, plan)
	done.Elapsed, done.Versions, done.Err = time.Since(started), versions, err
	u.report(ctx, done)
	if err != nil {
		return nil, err
	}
	return versions, nil
}

func (u *Upgrade) applyInBranch(
	goCtx context.Context, plan upgradetypes.Plan, from module.VersionMap, done *Outcome,
) (module.VersionMap, error) {
	if u.missing != nil {
		return nil, u.missing
	}
	if err := u.checkPlan(plan); err != nil {
		return nil, err
	}
	ctx := sdktypes.UnwrapSDKContext(goCtx)
	branch := ctx.MultiStore().CacheMultiStore()
	branched := ctx.WithMultiStore(branch)

	steps := composition{declared: u.handler.Manifest, migrations: u.options.Migrations, from: from}
	versions, reads := from, ctx.MultiStore()
	if u.options.MigrationsFirst {
		var err error
		if versions, err = steps.before(branched); err != nil {
			return nil, err
		}
		reads = branch
	}
	versions, err := u.runHandler(goCtx, plan, versions, reads, branch, done)
	if err != nil {
		return nil, err
	}
	if !u.options.MigrationsFirst {
		if versions, err = steps.after(branched, versions); err != nil {
			return nil, err
		}
	}
	if err := u.probe(branched); err != nil {
		return nil, err
	}
	if err := goCtx.Err(); err != nil {
		return nil, cancelled(err)
	}
	return versions, writeAll(branch)
}

// runHandler reads from one branch and writes to another, so that a read meets one cache less.
func (u *Upgrade) runHandler(
	goCtx context.Context, plan upgradetypes.Plan, versions module.VersionMap, reads, writes storetypes.MultiStore, done *Outcome,
) (module.VersionMap, error) {
	ctx := sdktypes.UnwrapSDKContext(goCtx)
	stores, err := u.stores(reads)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	run, err := u.handler.Run(goCtx, upgrade.Input{
		ChainID:      ctx.ChainID(),
		Height:       height(ctx),
		Time:         ctx.BlockTime(),
		Plan:         upgrade.Plan{Name: plan.Name, Height: plan.Height, Info: plan.Info},
		Versions:     upgrade.VersionMap(versions),
		Stores:       stores,
		ModuleStores: u.options.moduleStores(),
		VitalModules: u.options.vitalModules(),
		Log:          u.logTo(ctx),
		Progress:     u.progressTo(ctx),
		Overlay:      u.options.Overlay,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = run.Discard() }()
	done.HandlerElapsed, done.Report = time.Since(started), &run.Report
	if err := u.write(run, writes); err != nil {
		return nil, err
	}
	return module.VersionMap(run.Report.Versions), u.writeReceipt(run, writes)
}

func (u *Upgrade) checkPlan(plan upgradetypes.Plan) error {
	if plan.Name != u.Name() {
		return invalid("the handler is for the plan %q, not %q", u.Name(), plan.Name)
	}
	pinned, err := PinnedHash(plan.Info)
	if err != nil {
		return err
	}
	switch {
	case pinned == "" && !u.options.AllowUnpinned:
		return failure(upgrade.CodeHandlerHash, `the plan %q pins no handler, and this chain requires {"handler":{"sha256":"…"}} in the plan's info`,
			plan.Name)
	case pinned != "" && pinned != u.SHA256():
		mismatch := failure(upgrade.CodeHandlerHash, "the plan %q pins sha256 %s, the handler here is sha256 %s", plan.Name, pinned, u.SHA256())
		mismatch.Details = map[string]string{"pinned_sha256": pinned, "sha256": u.SHA256()}
		return mismatch
	}
	return nil
}

// height of the block: BaseApp sets both headers, a test of a keeper often one.
func height(ctx sdktypes.Context) int64 {
	if info := ctx.HeaderInfo(); info.Height != 0 {
		return info.Height
	}
	return ctx.BlockHeight()
}
