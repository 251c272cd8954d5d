package sdk

import (
	"sync"
	"time"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// Outcome describes an upgrade that ran, whether it succeeded or failed.
type Outcome struct {
	Plan    string
	ChainID string
	Height  int64
	// SHA256 of the handler's file, lower-case hex.
	SHA256   string
	GasLimit uint64
	// Elapsed is the duration of the whole upgrade, HandlerElapsed that of the handler alone.
	Elapsed        time.Duration
	HandlerElapsed time.Duration
	// Report is nil if the handler did not finish.
	Report *upgrade.Report
	// Versions are the module versions after the upgrade.
	Versions map[string]uint64
	// Err is nil if the upgrade succeeded.
	Err error
}

// Observe calls f with the outcome of every upgrade that this process runs, until stop is called. Rehearsals use it: the
// chain's own code makes the application, so the application cannot return an outcome to them. f runs in the block and must
// not block.
func Observe(f func(Outcome)) (stop func()) {
	observers.mutex.Lock()
	defer observers.mutex.Unlock()
	observers.next++
	id := observers.next
	observers.all[id] = f
	return func() {
		observers.mutex.Lock()
		defer observers.mutex.Unlock()
		delete(observers.all, id)
	}
}

var observers = struct {
	mutex sync.Mutex
	next  int
	all   map[int]func(Outcome)
}{all: map[int]func(Outcome){}}

func notifyObservers(done Outcome) {
	observers.mutex.Lock()
	defer observers.mutex.Unlock()
	for _, f := range observers.all {
		f(done)
	}
}
