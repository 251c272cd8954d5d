package upgrade

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

// overlayModel is a store with writes over it, as two maps.
type overlayModel struct {
	base    map[string]string
	written map[string]*string
}

// scan is the pairs of a range, and how many deletions lie before its end.
func (m overlayModel) scan(start, end string) (frames []byte, passed int64) {
	all := map[string]bool{}
	for key := range m.base {
		all[key] = true
	}
	for key := range m.written {
		all[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if key < start || end != "" && key >= end {
			continue
		}
		value, isWritten := m.written[key]
		switch {
		case !isWritten:
			frames = appendFrame(frames, []byte(key), []byte(m.base[key]))
		case value != nil:
			frames = appendFrame(frames, []byte(key), []byte(*value))
		default:
			passed++
		}
	}
	return frames, passed
}

// A scan gives the pairs of a range with the writes over them, however small its room is, and counts what it went by.
func TestOverlay_scans_areThoseOfAModel(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 9))
		space := sorted.NewSpace(sorted.Limits{Memory: []int64{1 << 30, 9_000}[seed%2], Dir: t.TempDir()})
		store := &MemoryStore{}
		overlay := &overlayStore{name: "bank", base: store, writes: space.NewWrites()}
		model := overlayModel{map[string]string{}, map[string]*string{}}
		key := func() string { return fmt.Sprintf("%c%c", 'a'+random.IntN(12), 'a'+random.IntN(12)) }
		for range 60 {
			k, v := key(), fmt.Sprint(random.IntN(1_000))
			model.base[k] = v
			must(t, store.Set([]byte(k), []byte(v)))
		}
		for range random.IntN(400) {
			k, v := key(), fmt.Sprint(random.IntN(1_000))
			if random.IntN(3) == 0 {
				model.written[k] = nil
				must(t, overlay.delete([]byte(k)))
			} else {
				model.written[k] = &v
				must(t, overlay.put([]byte(k), []byte(v)))
			}
		}
		for range 20 {
			sameScan(t, overlay, model, key(), []string{"", key()}[random.IntN(2)], 24+random.IntN(60))
		}
		must(t, space.Close())
	}
}

func sameScan(t *testing.T, overlay *overlayStore, model overlayModel, start, end string, room int) {
	t.Helper()
	want, passed := model.scan(start, end)
	scan, err := overlay.scan([]byte(start), []byte(end))
	must(t, err)
	defer scan.close()
	var got []byte
	buffer := make([]byte, room)
	for {
		filled, needed, err := scan.read(buffer)
		must(t, err)
		if needed > 0 {
			t.Fatalf("a room of %d bytes does not hold %d", room, needed)
		}
		if filled == 0 {
			break
		}
		got = append(got, buffer[:filled]...)
	}
	if !bytes.Equal(got, want) || scan.passed != passed {
		t.Errorf("%q to %q: %q, want %q; passed %d, want %d", start, end, got, want, scan.passed, passed)
	}
}
