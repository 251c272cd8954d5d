package upgrade

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

// lyingStore gives these pairs whatever it is asked for.
type lyingStore struct {
	MemoryStore
	pairs  [][2][]byte
	closed func() error
}

type lyingIterator struct {
	pairs  [][2][]byte
	closed func() error
}

func (s *lyingStore) Iterator(_, _ []byte) (Iterator, error) {
	return &lyingIterator{s.pairs, s.closed}, nil
}
func (i *lyingIterator) Valid() bool   { return len(i.pairs) > 0 }
func (i *lyingIterator) Next()         { i.pairs = i.pairs[1:] }
func (i *lyingIterator) Key() []byte   { return i.pairs[0][0] }
func (i *lyingIterator) Value() []byte { return i.pairs[0][1] }
func (i *lyingIterator) Error() error  { return nil }
func (i *lyingIterator) Close() error {
	if i.closed == nil {
		return nil
	}
	return i.closed()
}

// account in the form that split-balances takes.
var account = []byte("\x0a\x03ann\x82\x01\x0a\x0a\x05plums\x12\x017")

func pairOf(key string) [2][]byte { return [2][]byte{[]byte(key), account} }

// lies about the pairs from \x01 to \x02, each after a first pair that is right, and alone.
var lies = map[string][][2][]byte{
	"out of order":           {pairOf("\x01b"), pairOf("\x01a")},
	"the same twice":         {pairOf("\x01a"), pairOf("\x01a")},
	"past the range":         {pairOf("\x01a"), pairOf("\x02")},
	"before the range":       {pairOf("\x00")},
	"an empty key":           {pairOf("")},
	"no key":                 {{nil, account}},
	"a key of 65,536 bytes":  {pairOf("\x01" + strings.Repeat("k", keyBytesMax))},
	"no value":               {{[]byte("\x01a"), nil}},
	"a value of 1 MiB and 1": {{[]byte("\x01a"), make([]byte, valueBytesMax+1)}},
}

func requireCorrupt(t *testing.T, err error) {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeStoreCorrupt || failure.Details["store"] == "" {
		t.Errorf("got %v", err)
	}
}

func TestRun_storeThatLiesInAWalk_isNotTheHandlersFault(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	for name, pairs := range lies {
		t.Run(name, func(t *testing.T) {
			input := inputOf(handler)
			input.Stores["auth"] = &lyingStore{pairs: pairs}
			_, err := handler.Run(context.Background(), input)
			requireCorrupt(t, err)
		})
	}
}

func TestOverlayScan_storeThatLies_isCorrupt(t *testing.T) {
	for name, pairs := range lies {
		t.Run(name, func(t *testing.T) {
			overlay := newOverlay(t, &lyingStore{pairs: pairs})
			scan, err := overlay.scan([]byte("\x01"), []byte("\x02"))
			must(t, err)
			_, _, err = scan.read(make([]byte, 4<<20))
			requireCorrupt(t, err)
			must(t, scan.close())
		})
	}
}

// The keys of two pairs in one buffer, as stores that save memory have them.
type sharedKeys struct {
	lyingIterator
	buffer []byte
}

func (i *sharedKeys) Key() []byte {
	i.buffer = append(i.buffer[:0], i.pairs[0][0]...)
	return i.buffer
}

func TestHeldIterator_storeThatUsesAKeysBytesAgain_isRight(t *testing.T) {
	held := &heldIterator{name: "a", base: &sharedKeys{lyingIterator: lyingIterator{pairs: [][2][]byte{pairOf("a"), pairOf("b")}}}}
	for _, want := range []string{"a", "b"} {
		if more, err := held.next(); err != nil || !more || string(held.key) != want {
			t.Fatalf("got %q, %v, %v", held.key, more, err)
		}
	}
	for range 2 {
		if more, err := held.next(); err != nil || more {
			t.Errorf("after the last: %v, %v", more, err)
		}
	}
}

func TestRun_storeWhoseIteratorDoesNotClose_isAnErrorOfTheStore(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	for name, closed := range map[string]func() error{
		"an error": func() error { return errDisk },
		"a panic":  func() error { panic(errDisk) },
	} {
		t.Run(name, func(t *testing.T) {
			store := &lyingStore{pairs: [][2][]byte{pairOf("\x01a")}, closed: closed}
			input := inputOf(handler)
			input.Stores["auth"] = store
			run, err := handler.Run(context.Background(), input)
			if run != nil || codeOf(err) != CodeStoreIO || !errors.Is(err, errDisk) {
				t.Errorf("got %v", err)
			}
			_, err = hasPairs("auth", store)
			if codeOf(err) != CodeStoreIO || !errors.Is(err, errDisk) {
				t.Errorf("hasPairs: %v", err)
			}
			_, _, err = newOverlay(t, store).first([]byte("\x01"), nil)
			if codeOf(err) != CodeStoreIO || !errors.Is(err, errDisk) {
				t.Errorf("first: %v", err)
			}
		})
	}
}

type noIterator struct{ MemoryStore }

func (*noIterator) Iterator(_, _ []byte) (Iterator, error) { return nil, nil }

func TestIterate_storeWithoutIterator_isAnErrorOfTheStore(t *testing.T) {
	if _, err := iterate("a", &noIterator{}, nil, nil); codeOf(err) != CodeStoreIO {
		t.Errorf("got %v", err)
	}
}

type longValues struct{ MemoryStore }

func (*longValues) Get([]byte) ([]byte, error) { return make([]byte, valueBytesMax+1), nil }

func TestGet_valueOfMoreThanAMebibyte_isCorrupt(t *testing.T) {
	_, _, err := newOverlay(t, &longValues{}).get([]byte("a"))
	requireCorrupt(t, err)
	core, err := NewCore(context.Background(), CoreOptions{})
	must(t, err)
	defer core.Close(context.Background())
	_, err = core.PlanBytes(&longValues{})
	requireCorrupt(t, err)
}

func newOverlay(t *testing.T, base KVStore) *overlayStore {
	space := sorted.NewSpace(sorted.Limits{Memory: overlayMemory})
	t.Cleanup(func() { must(t, space.Close()) })
	return &overlayStore{name: "a", base: base, writes: space.NewWrites()}
}
