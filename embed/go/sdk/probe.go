package sdk

import (
	storetypes "cosmossdk.io/store/types"

	sdktypes "github.com/cosmos/cosmos-sdk/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// probe runs Options.Probe over a branch of the upgraded state, and drops the branch.
func (u *Upgrade) probe(upgraded sdktypes.Context) (err error) {
	if u.options.Probe == nil {
		return nil
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			err = u.probeFailure(thrownError(thrown))
		}
	}()
	trial := upgraded.WithMultiStore(upgraded.MultiStore().CacheMultiStore()).
		WithEventManager(sdktypes.NewEventManager()).WithGasMeter(storetypes.NewInfiniteGasMeter())
	if cause := u.options.Probe(trial); cause != nil {
		return u.probeFailure(cause)
	}
	return nil
}

func (u *Upgrade) probeFailure(cause error) error {
	failed := failure(upgrade.CodeHandlerEngine, "the probe of the upgraded state failed on this node, and nothing was written: %v", cause)
	if u.options.ProbeIsDeterministic {
		failed = failure(upgrade.CodeMigrationProbe, "the probe of the upgraded state failed, and nothing was written: %v", cause)
	}
	failed.Cause = cause
	return failed
}
