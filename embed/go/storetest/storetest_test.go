package storetest_test

import (
	"testing"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	"github.com/chain-upgrade/chain-upgrade/embed/go/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) upgrade.KVStore { return &upgrade.MemoryStore{} })
}
