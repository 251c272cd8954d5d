package upgrade

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/experimental"
)

// badStore fails or panics at its nth use.
type badStore struct {
	MemoryStore
	left  int
	cause error
	panic any
}

var errDisk = errors.New("the disk is gone")

func (s *badStore) use() error {
	s.left--
	if s.left >= 0 {
		return nil
	}
	if s.panic != nil {
		panic(s.panic)
	}
	return s.cause
}

func (s *badStore) Get(key []byte) ([]byte, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	return s.MemoryStore.Get(key)
}

func (s *badStore) Iterator(start, end []byte) (Iterator, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	inner, err := s.MemoryStore.Iterator(start, end)
	return &badIterator{inner, s, nil}, err
}

type badIterator struct {
	Iterator
	store   *badStore
	failure error
}

func (i *badIterator) Valid() bool  { return i.failure == nil && i.Iterator.Valid() }
func (i *badIterator) Error() error { return i.failure }
func (i *badIterator) Next() {
	if i.failure = i.store.use(); i.failure == nil {
		i.Iterator.Next()
	}
}

// accounts in the form that split-balances takes.
func fillAccounts(t *testing.T, store KVStore, count int) {
	for i := range count {
		must(t, store.Set(fmt.Appendf(nil, "\x01%020d", i), fmt.Appendf(nil, "\x0a\x03ann\x82\x01\x0a\x0a\x05plums\x12\x017")))
	}
}

func TestRun_storeThatFailsOrPanics_isAnErrorAndNothingIsWritten(t *testing.T) {
	for _, mode := range modes {
		handler := load(t, guest(t, "split-balances"), LoadOptions{Interpreter: mode.interpreter})
		for _, kind := range []badStore{{cause: errDisk}, {panic: errDisk}, {panic: "a text"}} {
			for left := range 12 {
				t.Run(fmt.Sprintf("%s, %v %v, use %d", mode.name, kind.cause, kind.panic, left), func(t *testing.T) {
					store := &badStore{left: left, cause: kind.cause, panic: kind.panic}
					fillAccounts(t, &store.MemoryStore, 20)
					before := pairsOf(t, &store.MemoryStore)
					input := inputOf(handler)
					input.Stores["auth"] = store
					run, err := handler.Run(context.Background(), input)
					if run != nil || codeOf(err) != CodeStoreIO || !strings.Contains(err.Error(), `store "auth"`) {
						t.Errorf("got %v", err)
					}
					if kind.panic != "a text" && !errors.Is(err, errDisk) {
						t.Errorf("%v does not wrap the store's own error", err)
					}
					if !reflect.DeepEqual(before, pairsOf(t, &store.MemoryStore)) {
						t.Error("the run wrote")
					}
				})
			}
		}
	}
}

// What is logged has no effect on results, and neither has a logger.
func TestRun_callbackThatPanics_changesNothing(t *testing.T) {
	handler := load(t, guest(t, "backfill-index"), LoadOptions{})
	calls, gas := 0, map[bool]uint64{}
	for _, panics := range []bool{false, true} {
		input := inputOf(handler)
		input.Log = func(LogLevel, string) {
			if calls++; panics {
				panic("in the log")
			}
		}
		input.Progress = func(int64, int64) {
			if panics {
				panic("in the progress")
			}
		}
		run, err := handler.Run(context.Background(), input)
		must(t, err)
		gas[panics] = run.Report.Gas
		must(t, run.Discard())
	}
	if calls < 2 || gas[true] != gas[false] {
		t.Errorf("%d calls, gas %v", calls, gas)
	}
}

func TestError_isItsCode(t *testing.T) {
	err := fmt.Errorf("in a chain: %w", newError(CodeHandlerLayout, "text"))
	if !errors.Is(err, CodeHandlerLayout) || errors.Is(err, CodeHandlerHash) {
		t.Error("errors.Is does not go by the code")
	}
}

// A guest that never calls the host ends with its context where it was loaded for that.
func TestRun_contextThatEnds_isAnErrorOfOurs(t *testing.T) {
	for _, name := range []string{"a gas bomb: a loop without end", "a gas bomb of memory.fill", "a gas bomb in handler_in"} {
		for _, mode := range modes {
			t.Run(name+", "+mode.name, func(t *testing.T) {
				handler := load(t, guest(t, name), LoadOptions{Interpreter: mode.interpreter, Interruptible: true})
				input := inputOf(handler)
				input.GasLimit = gasLimitMax
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				run, err := handler.Run(ctx, input)
				if run != nil || codeOf(err) != CodeHandlerEngine || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

// One that calls the host ends there.
func TestRun_contextThatEndsInAnImport_isAnErrorOfOurs(t *testing.T) {
	handler := load(t, guest(t, "a gas bomb of log lines"), LoadOptions{})
	input := inputOf(handler)
	ctx, cancel := context.WithCancel(context.Background())
	lines := 0
	input.Log = func(LogLevel, string) {
		if lines++; lines == 3 {
			cancel()
		}
	}
	if _, err := handler.Run(ctx, input); codeOf(err) != CodeHandlerEngine || !errors.Is(err, context.Canceled) || lines != 3 {
		t.Errorf("got %v after %d lines", err, lines)
	}
}

func TestRun_contextThatHasEnded_runsNothing(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := handler.Run(ctx, inputOf(handler)); codeOf(err) != CodeHandlerEngine || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if run, err := handler.Run(context.Background(), inputOf(handler)); err != nil {
		t.Errorf("afterwards: %v", err)
	} else {
		must(t, run.Discard())
	}
}

// scarceMemory gives no more than so many bytes, as a machine that has no more.
type scarceMemory struct {
	bytes []byte
	max   uint64
}

func (m *scarceMemory) Free() {}
func (m *scarceMemory) Reallocate(size uint64) []byte {
	if size > m.max {
		return nil
	}
	m.bytes = append(m.bytes, make([]byte, size-uint64(len(m.bytes)))...)
	return m.bytes
}

func TestRun_memoryThatTheMachineLacks_isNoResultOfTheHandler(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			handler := load(t, guest(t, "a memory bomb, a page at a time"), LoadOptions{Interpreter: mode.interpreter})
			ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(
				func(_, _ uint64) experimental.LinearMemory { return &scarceMemory{max: 20 * pageBytes} }))
			_, err := handler.Run(ctx, inputOf(handler))
			if codeOf(err) != CodeHandlerEngine || !strings.Contains(err.Error(), "had no memory") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRun_atTheSameTime_givesTheSame(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	store := &MemoryStore{}
	fillAccounts(t, store, 2_000)
	_, err := store.Iterator(nil, nil)
	must(t, err)
	reports := make([]Report, 8)
	var all sync.WaitGroup
	for i := range reports {
		all.Go(func() {
			input := inputOf(handler)
			input.Stores["auth"] = store
			run, err := handler.Run(context.Background(), input)
			if err != nil {
				t.Error(err)
				return
			}
			reports[i] = run.Report
			_ = run.Discard()
		})
	}
	all.Wait()
	for _, report := range reports {
		if !reflect.DeepEqual(report, reports[0]) {
			t.Errorf("%+v and %+v", report, reports[0])
		}
	}
}
