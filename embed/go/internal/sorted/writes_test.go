package sorted

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
)

// model is what writes must be: the last write to each key.
type model map[string]*string

func (m model) put(key, value []byte, deleted bool) {
	if deleted {
		m[string(key)] = nil
		return
	}
	text := string(value)
	m[string(key)] = &text
}

func (m model) after(start []byte) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key >= string(start) {
			all = append(all, shown(key, m[key]))
		}
	}
	return all
}

func shown(key string, value *string) string {
	if value == nil {
		return fmt.Sprintf("%x deleted", key)
	}
	return fmt.Sprintf("%x=%x", key, *value)
}

func walked(t *testing.T, writes *Writes, start []byte) []string {
	t.Helper()
	cursor, err := writes.From(start)
	must(t, err)
	var all []string
	for {
		pair, more, err := cursor.Next()
		must(t, err)
		if !more {
			return all
		}
		value := string(pair.Value)
		text := &value
		if pair.Deleted {
			text = nil
		}
		all = append(all, shown(string(pair.Key), text))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// randomKey of few letters, so that keys meet again; some are long.
func randomKey(random *rand.Rand) []byte {
	key := make([]byte, 1+random.IntN(3))
	for i := range key {
		key[i] = byte(random.IntN(24))
	}
	if random.IntN(20) == 0 {
		key = append(key, bytes.Repeat([]byte{7}, 200+random.IntN(3000))...)
	}
	return key
}

func TestWritesOfAnyOrder_areTheLastOfEachKey(t *testing.T) {
	for seed := range uint64(4) {
		for _, memory := range []int64{1 << 30, 64 << 10, 9 << 10} {
			t.Run(fmt.Sprintf("seed %d, memory %d", seed, memory), func(t *testing.T) { compare(t, seed, memory) })
		}
	}
}

func compare(t *testing.T, seed uint64, memory int64) {
	random := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	space := NewSpace(Limits{Memory: memory, Dir: dir})
	stores := []*Writes{space.NewWrites(), space.NewWrites()}
	models := []model{{}, {}}
	for range 4_000 {
		which := random.IntN(2)
		key, value := randomKey(random), make([]byte, random.IntN(40))
		deleted := random.IntN(4) == 0
		if random.IntN(500) == 0 {
			value = make([]byte, random.IntN(400_000))
		}
		if deleted {
			value = nil
		}
		must(t, stores[which].Put(key, value, deleted))
		models[which].put(key, value, deleted)
		if random.IntN(50) == 0 {
			sameFind(t, stores[which], models[which], randomKey(random))
		}
		if random.IntN(1_000) == 0 {
			sameWalk(t, stores[which], models[which], randomKey(random))
		}
	}
	for i := range stores {
		sameWalk(t, stores[i], models[i], nil)
		for key := range models[i] {
			sameFind(t, stores[i], models[i], []byte(key))
		}
	}
	if memory < 1<<20 && space.Spilled == 0 {
		t.Error("nothing was spilled")
	}
	must(t, space.Close())
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func sameWalk(t *testing.T, writes *Writes, model model, start []byte) {
	t.Helper()
	if got, want := walked(t, writes, start), model.after(start); !slices.Equal(got, want) {
		t.Fatalf("from %x: %d writes, want %d", start, len(got), len(want))
	}
}

func sameFind(t *testing.T, writes *Writes, model model, key []byte) {
	t.Helper()
	pair, found, err := writes.Find(key)
	must(t, err)
	want, isThere := model[string(key)]
	switch {
	case found != isThere, found && pair.Deleted != (want == nil):
		t.Fatalf("%x: found %v, want %v", key, found, isThere)
	case found && want != nil && string(pair.Value) != *want:
		t.Fatalf("%x: another value", key)
	}
}

func TestPut_beyondTheDisk_isRefused(t *testing.T) {
	space := NewSpace(Limits{Memory: 10_000, Disk: 100_000, Dir: t.TempDir()})
	writes := space.NewWrites()
	for i := range 10_000 {
		if err := writes.Put(fmt.Appendf(nil, "%08d", i), make([]byte, 50), false); err != nil {
			must(t, space.Close())
			return
		}
	}
	t.Error("500 KB are taken where 100 KB are allowed")
}

func TestPut_intoAFolderThatIsAbsent_isRefused(t *testing.T) {
	space := NewSpace(Limits{Memory: 100, Dir: "/absent"})
	if err := space.NewWrites().Put(make([]byte, 500), nil, false); err == nil {
		t.Error("spilled into nothing")
	}
	must(t, space.Close())
}

// orders in which handlers write.
var orders = []struct {
	name string
	key  func(i uint64) []byte
}{
	{"ascending", func(i uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 12), i) }},
	{"descending", func(i uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 12), 1<<40-i) }},
	{"scattered", func(i uint64) []byte {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i))
		return hash[:20]
	}},
}

// The memory of writes is at most twice their bytes, by the account that decides when to spill and by the runtime's.
func TestMemory_isAtMostTwiceTheWrites(t *testing.T) {
	const count, valueBytes = 200_000, 12
	for _, order := range orders {
		t.Run(order.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			space := NewSpace(Limits{Memory: 1 << 40})
			writes := space.NewWrites()
			for i := range uint64(count) {
				must(t, writes.Put(order.key(i), make([]byte, valueBytes), false))
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			written := int64(count * (20 + valueBytes))
			real := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			t.Logf("%d bytes written, %d counted, %d of heap", written, space.PeakMemory, real)
			if space.PeakMemory > 2*written || real > 2*written {
				t.Errorf("%d bytes take %d (counted %d)", written, real, space.PeakMemory)
			}
			runtime.KeepAlive(writes)
		})
	}
}

func BenchmarkPut(b *testing.B) {
	for _, order := range orders {
		b.Run(order.name, func(b *testing.B) {
			space := NewSpace(Limits{Memory: 1 << 40})
			writes := space.NewWrites()
			value := make([]byte, 40)
			for i := range uint64(b.N) {
				_ = writes.Put(order.key(i), value, false)
			}
		})
	}
}

func TestWrites_fileThatSomebodyChanged_isAnError(t *testing.T) {
	dir := t.TempDir()
	space := NewSpace(Limits{Memory: 1 << 18, Disk: 1 << 30, Dir: dir})
	writes := space.NewWrites()
	for i := range 8_000 {
		must(t, writes.Put(fmt.Appendf(nil, "%08d", i), bytes.Repeat([]byte{'v'}, 100), false))
	}
	if space.Spilled == 0 {
		t.Fatal("nothing was spilled")
	}
	for _, run := range writes.runs {
		_, err := run.file.WriteAt(bytes.Repeat([]byte{0xff}, 64), run.size/2)
		must(t, err)
	}
	cursor, err := writes.From(nil)
	for more := true; err == nil && more; {
		_, more, err = cursor.Next()
	}
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	must(t, space.Close())
}
