package upgrade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func newCore(t testing.TB) *Core {
	t.Helper()
	core, err := NewCore(context.Background(), CoreOptions{})
	must(t, err)
	t.Cleanup(func() { must(t, core.Close(context.Background())) })
	return core
}

var plan = Plan{Name: "v2", Height: 10, Info: "see the forum"}

// scheduled is a store of a chain of two modules with a plan.
func scheduled(t *testing.T, core *Core) *MemoryStore {
	t.Helper()
	store := &MemoryStore{}
	must(t, core.SetVersionMap(store, VersionMap{"auth": 1, "bank": 1}))
	must(t, core.Schedule(store, 5, plan))
	return store
}

func decided(t *testing.T, core *Core, store KVStore, height int64, facts Facts) Decision {
	t.Helper()
	decision, err := core.PreBlock(store, height, facts)
	must(t, err)
	return decision
}

func TestCore_anUpgrade_isDecidedAndRecorded(t *testing.T) {
	core := newCore(t)
	store := scheduled(t, core)
	stored, err := core.PlanBytes(store)
	must(t, err)
	steps := []struct {
		height int64
		facts  Facts
		want   Decision
	}{
		{9, Facts{}, Pending},
		{9, Facts{HasHandler: true}, HaltBinaryTooEarly},
		{10, Facts{}, HaltUpgradeNeeded},
		{10, Facts{IsSkipHeight: true}, Skip},
		{10, Facts{HasHandler: true}, Apply},
	}
	for _, step := range steps {
		if got := decided(t, core, store, step.height, step.facts); got != step.want {
			t.Errorf("height %d, %+v: %v, want %v", step.height, step.facts, got, step.want)
		}
	}
	must(t, core.Apply(store, 10, stored, VersionMap{"auth": 2, "bank": 2}, nil))
	must(t, core.SetReceipt(store, "v2", []byte("a receipt")))
	done, err := core.LastDone(store)
	must(t, err)
	versions, err := core.VersionMap(store)
	must(t, err)
	receipt, err := core.Receipt(store, "v2")
	must(t, err)
	if *done != (Done{"v2", 10}) || !reflect.DeepEqual(versions, VersionMap{"auth": 2, "bank": 2}) || string(receipt) != "a receipt" {
		t.Errorf("recorded %v, %v, %q", done, versions, receipt)
	}
	if got := decided(t, core, store, 11, Facts{IsFirstBlock: true}); got != HaltHandlerMissing || !got.IsHalt() {
		t.Errorf("an old program goes on: %v", got)
	}
}

func TestCore_whatIsAbsent_isNil(t *testing.T) {
	core := newCore(t)
	store := &MemoryStore{}
	planned, err := core.Plan(store)
	must(t, err)
	done, err := core.LastDone(store)
	must(t, err)
	receipt, err := core.Receipt(store, "v2")
	must(t, err)
	_, ok, err := core.Version(store, "auth")
	must(t, err)
	height, err := core.DoneHeight(store, "v2")
	must(t, err)
	protocol, err := core.ProtocolVersion(store)
	must(t, err)
	if planned != nil || done != nil || receipt != nil || ok || height != 0 || protocol != 0 {
		t.Error(planned, done, receipt, ok, height, protocol)
	}
}

func TestCore_plans_comeBackAsTheyWere(t *testing.T) {
	core := newCore(t)
	for _, each := range []Plan{plan, {Name: "ü", Height: 1}, {Name: "v3", Height: 1<<63 - 1, Info: strings.Repeat("i", 65_536)}} {
		encoded, err := core.EncodePlan(each)
		must(t, err)
		if !bytes.Equal(encoded, each.encode()) {
			t.Errorf("%.20v: the core encodes %x, a run gets %x", each, encoded, each.encode())
		}
		must(t, core.ValidatePlan(encoded))
		decoded, err := core.DecodePlan(encoded)
		must(t, err)
		if decoded != each {
			t.Errorf("%.20v came back as %.20v", each, decoded)
		}
	}
}

func TestCore_badInput_isRefusedByItsCode(t *testing.T) {
	core := newCore(t)
	store := scheduled(t, core)
	before := pairsOf(t, store)
	with := func(change func(*Plan)) Plan {
		changed := plan
		change(&changed)
		return changed
	}
	cases := map[Code]func() error{
		CodeInvalidPlanName: func() error { return core.Schedule(store, 5, with(func(p *Plan) { p.Name = "" })) },
		CodeInvalidPlanInfo: func() error {
			return core.Schedule(store, 5, with(func(p *Plan) { p.Info = strings.Repeat("i", 1_000_000) }))
		},
		CodeInvalidPlanHeight:     func() error { return core.Schedule(store, 5, with(func(p *Plan) { p.Height = -1 })) },
		CodeInvalidPlanInPast:     func() error { return core.Schedule(store, 50, plan) },
		CodeInvalidPlanDeprecated: func() error { return core.Schedule(store, 5, with(func(p *Plan) { p.Time = time.Unix(1, 0) })) },
		CodeInvalidPlanBytes:      func() error { return core.ScheduleBytes(store, 5, []byte("no plan")) },
		CodeInvalidValue:          func() error { return core.SetReceipt(store, "v2", make([]byte, receiptBytesMax+1)) },
		CodeInvalidVersionMap:     func() error { return core.SetVersionMap(store, VersionMap{"": 1}) },
		CodeBugPlanChanged:        func() error { return core.Apply(store, 10, []byte("another"), VersionMap{"auth": 1}, nil) },
		CodeInvalidArgument: func() error {
			_, err := core.CancellableHeight(1, time.Hour, 0, 0, 0)
			return err
		},
	}
	for code, call := range cases {
		if got := codeOf(call()); got != code {
			t.Errorf("got %q, want %s", got, code)
		}
	}
	withState := with(func(p *Plan) { p.HasClientState = true })
	if got := codeOf(core.Schedule(store, 5, withState)); got != CodeInvalidPlanDeprecated {
		t.Errorf("a client state: %q", got)
	}
	if err := core.ValidatePlan(make([]byte, 1<<20)); codeOf(err) != CodeInvalidArgument {
		t.Errorf("a mebibyte: %v", err)
	}
	if after := pairsOf(t, store); !reflect.DeepEqual(before, after) {
		t.Error("a refused call wrote")
	}
}

// failingStore fails or panics at its nth call, writes included.
type failingStore struct {
	badStore
}

func (s *failingStore) Set(key, value []byte) error {
	if err := s.use(); err != nil {
		return err
	}
	return s.MemoryStore.Set(key, value)
}

func TestCore_storeThatFailsInARead_leavesNothingAndTheCoreGoesOn(t *testing.T) {
	core := newCore(t)
	for _, kind := range []badStore{{cause: errDisk}, {panic: errDisk}} {
		for left := range 6 {
			t.Run(fmt.Sprintf("%v %v, use %d", kind.cause, kind.panic, left), func(t *testing.T) {
				whole := scheduled(t, core)
				stored, err := core.PlanBytes(whole)
				must(t, err)
				store := &failingStore{badStore{MemoryStore: *whole, left: left, cause: kind.cause, panic: kind.panic}}
				before := pairsOf(t, &store.MemoryStore)
				err = core.Apply(store, 10, stored, VersionMap{"auth": 2, "bank": 2}, nil)
				if codeOf(err) != CodeStoreIO || !errors.Is(err, errDisk) {
					t.Errorf("got %v", err)
				}
				if left < 5 && !reflect.DeepEqual(before, pairsOf(t, &store.MemoryStore)) {
					t.Error("half of it is written")
				}
				if got := decided(t, core, whole, 9, Facts{}); got != Pending {
					t.Errorf("afterwards the core decides %v", got)
				}
			})
		}
	}
}

func TestNewCore_otherBytes_areRefused(t *testing.T) {
	for name, wasm := range map[string]func(*testing.T) []byte{
		"nothing":         func(*testing.T) []byte { return []byte{} },
		"an empty module": func(*testing.T) []byte { return []byte("\x00asm\x01\x00\x00\x00") },
		"a handler":       func(t *testing.T) []byte { return guest(t, "re-key") },
		"half":            func(*testing.T) []byte { return coreWasm[:9_000] },
	} {
		t.Run(name, func(t *testing.T) {
			core, err := NewCore(context.Background(), CoreOptions{Wasm: wasm(t)})
			if core != nil || codeOf(err) != CodeBugCoreABI {
				t.Errorf("got %v", err)
			}
		})
	}
}

func BenchmarkCore_preBlock(b *testing.B) {
	core := newCore(b)
	store := &MemoryStore{}
	for b.Loop() {
		if _, err := core.PreBlock(store, 1, Facts{}); err != nil {
			b.Fatal(err)
		}
	}
}
