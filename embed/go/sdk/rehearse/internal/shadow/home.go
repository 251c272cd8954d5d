// Package shadow makes a home beside a node's own, for a process that must not change it.
package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// own are the parts of <home>/data that a process opens to write to. They are absent in a shadow.
var own = map[string]bool{
	"application.db": true, "blockstore.db": true, "state.db": true, "evidence.db": true, "tx_index.db": true,
	"cs.wal": true, "snapshots": true, "upgrade-info.json": true, "priv_validator_state.json": true,
}

// Home is a temporary folder: links to what an application reads (its genesis, settings, contracts), and a data folder
// of its own with another upgrade-info.json.
type Home struct{ Path string }

// Make makes the shadow of a home. Remove it afterwards.
func Make(home string, upgradeInfo []byte) (shadow Home, err error) {
	if home, err = filepath.Abs(home); err != nil {
		return Home{}, err
	}
	path, err := os.MkdirTemp("", "rehearsal-")
	if err != nil {
		return Home{}, err
	}
	shadow = Home{Path: path}
	defer func() {
		if err != nil {
			err = errors.Join(err, shadow.Remove())
		}
	}()
	if err := os.Mkdir(filepath.Join(path, "data"), 0o700); err != nil {
		return Home{}, err
	}
	if err := link(home, path, map[string]bool{"data": true}); err != nil {
		return Home{}, err
	}
	if err := link(filepath.Join(home, "data"), filepath.Join(path, "data"), own); err != nil {
		return Home{}, err
	}
	return shadow, os.WriteFile(filepath.Join(path, "data", "upgrade-info.json"), upgradeInfo, 0o600)
}

// Remove takes the links away, and nothing of what they lead to.
func (h Home) Remove() error { return os.RemoveAll(h.Path) }

func link(from, to string, except map[string]bool) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no home of a node: %w", from, err)
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if except[entry.Name()] {
			continue
		}
		if err := os.Symlink(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
