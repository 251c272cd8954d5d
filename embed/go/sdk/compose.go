package sdk

import (
	"context"
	"maps"

	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// composition is a handler and the chain's own migrations in one upgrade: each module is the work of one of them.
type composition struct {
	declared   upgrade.Manifest
	migrations func(context.Context, module.VersionMap) (module.VersionMap, error)
	from       module.VersionMap
}

// before runs the chain's migrations and returns the versions that the handler meets: of its own modules those that are
// stored, of the others the new ones.
func (c composition) before(ctx context.Context) (module.VersionMap, error) {
	if c.migrations == nil {
		return c.from, nil
	}
	ahead := maps.Clone(c.from)
	if ahead == nil {
		ahead = module.VersionMap{}
	}
	for name, versions := range c.declared.Versions {
		ahead[name] = versions.To
	}
	migrated, err := c.migrate(ctx, ahead)
	if err != nil {
		return nil, err
	}
	met := maps.Clone(migrated)
	for _, name := range c.ownModules() {
		if stored, ok := c.from[name]; ok {
			met[name] = stored
		} else {
			delete(met, name)
		}
	}
	return met, nil
}

// after runs the chain's migrations on what the handler left.
func (c composition) after(ctx context.Context, versions module.VersionMap) (module.VersionMap, error) {
	if c.migrations == nil {
		return versions, nil
	}
	return c.migrate(ctx, versions)
}

// migrate holds the binary and the handler to the same versions: RunMigrations is silent when the stored version is above
// the module's own.
func (c composition) migrate(ctx context.Context, from module.VersionMap) (module.VersionMap, error) {
	migrated, err := c.migrations(ctx, from)
	if err != nil {
		wrapped := failure(upgrade.CodeMigrationFailed, "the chain's own migrations failed: %v", err)
		wrapped.Cause = err
		return nil, wrapped
	}
	for name, versions := range c.declared.Versions {
		if now, ok := migrated[name]; ok && now != versions.To {
			return nil, failure(upgrade.CodeMigrationVersionMap,
				"the handler takes the module %q to version %d, this binary has it at version %d", name, versions.To, now)
		}
	}
	return migrated, nil
}

func (c composition) ownModules() []string {
	names := append([]string(nil), c.declared.Removes...)
	for name := range c.declared.Versions {
		names = append(names, name)
	}
	return names
}
