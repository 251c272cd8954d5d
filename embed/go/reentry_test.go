package upgrade

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// callingStore does something before each use.
type callingStore struct {
	MemoryStore
	before func()
}

func (s *callingStore) Get(key []byte) ([]byte, error) {
	s.before()
	return s.MemoryStore.Get(key)
}

func (s *callingStore) Set(key, value []byte) error {
	s.before()
	return s.MemoryStore.Set(key, value)
}

func TestCore_storeThatCallsItsOwnCore_getsAnErrorAndDoesNotHang(t *testing.T) {
	core := newCore(t)
	var errs []error
	store := &callingStore{before: func() {
		_, err := core.PlanKey()
		errs = append(errs, err, core.Close(context.Background()))
	}}
	must(t, core.SetVersionMap(store, VersionMap{"auth": 1}))
	if len(errs) == 0 {
		t.Error("the store was not used")
	}
	for _, err := range errs {
		if codeOf(err) != CodeBugAssert || !strings.Contains(err.Error(), "a store must not call a core") {
			t.Errorf("got %v", err)
		}
	}
}

func TestCore_otherGoroutines_wait(t *testing.T) {
	core := newCore(t)
	var others sync.WaitGroup
	store := &callingStore{}
	store.before = func() {
		store.before = func() {}
		for range 8 {
			others.Go(func() {
				if _, err := core.PlanKey(); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
	}
	must(t, core.SetVersionMap(store, VersionMap{"auth": 1}))
	others.Wait()
}

func TestCore_afterClose_isAnError(t *testing.T) {
	core, err := NewCore(context.Background(), CoreOptions{})
	must(t, err)
	must(t, core.Close(context.Background()))
	if _, err := core.PlanKey(); codeOf(err) != CodeInvalidArgument {
		t.Errorf("got %v", err)
	}
}
