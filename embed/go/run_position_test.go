package upgrade

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
)

// placeDetails are those of a failure that say where it was.
func placeDetails(t *testing.T, err error) map[string]string {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	found := map[string]string{}
	for _, name := range []string{"phase", "memory", "scan", "store", "pairs", "memory_before", "key"} {
		if value, ok := failure.Details[name]; ok {
			found[name] = value
		}
	}
	return found
}

// What the hosts in other languages say of the same cases.
func TestRun_thatFails_saysWhere(t *testing.T) {
	const memory = "1048576"
	torn := func(pairs, key string) map[string]string {
		return map[string]string{"phase": `scan 0 of store "orders"`, "memory": memory, "scan": "0", "store": "orders",
			"memory_before": memory, "pairs": pairs, "key": key}
	}
	wanted := map[string]map[string]string{
		"backfill-index on torn-order":               torn("0", "010000000000000001"),
		"backfill-index on torn-order, batches of 1": torn("1", "010000000000000002"),
		"random 120": {"phase": `scan 0 of store "read"`, "memory": "3407872", "scan": "0", "store": "read",
			"memory_before": "3407872", "pairs": "0", "key": "0b5000b73a53f0916c93c68f"},
		"backfill-index on orders, gas 4811769":             {"phase": "loading", "memory": "0"},
		"backfill-index on orders, gas 23736000":            {"phase": "_initialize", "memory": "1048576"},
		"backfill-index on orders, gas 24058653":            {"phase": "handler_check", "memory": "1048576"},
		"module-genesis on two-denominations, gas 23206563": {"phase": "handler_run", "memory": "1048576"},
		"moves nothing, batches of 65,536, gas 1756348":     {"phase": `scan 0 of store "old"`, "memory": "1048576", "scan": "0", "store": "old", "memory_before": "1048576", "pairs": "0"},
	}
	var file handlerVectors
	readVectors(t, "handler-cases.json.gz", &file)
	for _, mode := range modes {
		cases, seen := newReplay(t, &file, mode.interpreter), 0
		for _, each := range file.Cases {
			want, ok := wanted[each.Label]
			if !ok {
				continue
			}
			seen++
			_, err := cases.handler(each.Guest).Run(context.Background(), cases.input(each))
			if got := placeDetails(t, err); !maps.Equal(got, want) {
				t.Errorf("%s, %s:\n got %v\nwant %v", mode.name, each.Label, got, want)
			}
		}
		if seen != len(wanted) {
			t.Errorf("%d of %d cases are there", seen, len(wanted))
		}
	}
}

func TestPlace_aLongKey_isCut(t *testing.T) {
	key := []byte(strings.Repeat("k", 300))
	batches := &scanBatches{bytes: appendFrame(nil, key, nil), consumed: 7}
	batches.end = len(batches.bytes)
	var at place
	at.atScan(1, "s", 2)
	at.atBatch(batches)
	clear(batches.bytes) // the next batch is read to the same room
	failure := newError(CodeHandlerTrap, "a trap")
	at.describe(failure, 3)
	want := map[string]string{"phase": `scan 1 of store "s"`, "memory": "196608", "memory_before": "131072", "scan": "1", "store": "s",
		"pairs": "7", "key": strings.Repeat("6b", 256) + "…"}
	if !maps.Equal(failure.Details, want) {
		t.Errorf("got %v", failure.Details)
	}
}

func TestPlace_whatAnErrorKnowsBetter_stays(t *testing.T) {
	var at place
	at.atScan(0, "s", 0)
	at.atBatch(&scanBatches{})
	failure := newError(CodeHandlerLayout, "no store").with("store", "t")
	at.describe(failure, 0)
	if _, hasKey := failure.Details["key"]; hasKey || failure.Details["store"] != "t" {
		t.Errorf("got %v", failure.Details)
	}
}
