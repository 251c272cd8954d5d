package cowdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	dbm "github.com/cosmos/cosmos-db"
)

// The copy is held to a database that has all the same operations done to it, and the base to what it was.
func TestCopyOnWriteRandomOperationsEqualThoseOfADatabase(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 11))
		base, model := dbm.NewMemDB(), dbm.NewMemDB()
		for range 60 {
			key, value := randomPair(random)
			must(t, base.Set(key, value))
			must(t, model.Set(key, value))
		}
		before := pairs(t, base, nil, nil, false)
		copied := New(base)
		for step := range 200 {
			change(t, random, copied, model)
			if step%20 == 0 {
				compareRanges(t, random, copied, model)
			}
		}
		if after := pairs(t, base, nil, nil, false); !equal(before, after) {
			t.Fatalf("seed %d: the base changed", seed)
		}
	}
}

func change(t *testing.T, random *rand.Rand, copied *DB, model dbm.DB) {
	t.Helper()
	key, value := randomPair(random)
	switch random.IntN(4) {
	case 0:
		must(t, copied.Delete(key))
		must(t, model.Delete(key))
	case 1:
		batch := copied.NewBatch()
		must(t, batch.Set(key, value))
		must(t, batch.Delete(key))
		must(t, batch.Set(key, value))
		must(t, batch.WriteSync())
		must(t, model.Set(key, value))
	default:
		must(t, copied.Set(key, value))
		must(t, model.Set(key, value))
	}
	got, err := copied.Get(key)
	must(t, err)
	want, err := model.Get(key)
	must(t, err)
	if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		t.Fatalf("get %x: %x, want %x", key, got, want)
	}
}

func compareRanges(t *testing.T, random *rand.Rand, copied *DB, model dbm.DB) {
	t.Helper()
	start, _ := randomPair(random)
	end, _ := randomPair(random)
	for _, bounds := range [][2][]byte{{nil, nil}, {start, nil}, {nil, end}, {start, end}} {
		for _, isReverse := range []bool{false, true} {
			got, want := pairs(t, copied, bounds[0], bounds[1], isReverse), pairs(t, model, bounds[0], bounds[1], isReverse)
			if !equal(got, want) {
				t.Fatalf("range %x to %x, reverse %v: %v, want %v", bounds[0], bounds[1], isReverse, got, want)
			}
		}
	}
}

func randomPair(random *rand.Rand) (key, value []byte) {
	key = make([]byte, 1+random.IntN(2))
	for i := range key {
		key[i] = byte(random.IntN(12))
	}
	return key, make([]byte, random.IntN(3))
}

func pairs(t *testing.T, db dbm.DB, start, end []byte, isReverse bool) []string {
	t.Helper()
	open := db.Iterator
	if isReverse {
		open = db.ReverseIterator
	}
	it, err := open(start, end)
	must(t, err)
	var all []string
	for ; it.Valid(); it.Next() {
		all = append(all, fmt.Sprintf("%x=%x", it.Key(), it.Value()))
	}
	must(t, it.Error())
	must(t, it.Close())
	return all
}

func equal(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
