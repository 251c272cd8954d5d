package upgrade

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// accounts are stores as split-balances takes them.
func accounts(t *testing.T, handler *Handler, count int) Input {
	input := inputOf(handler)
	fillAccounts(t, input.Stores["auth"], count)
	return input
}

func finalWrites(t *testing.T, run *Run) []string {
	t.Helper()
	var all []string
	for _, store := range run.Report.Stores {
		must(t, run.Each(store.Name, func(key, value []byte, deleted bool) error {
			all = append(all, fmt.Sprintf("%s %x=%x %v", store.Name, key, value, deleted))
			return nil
		}))
	}
	return all
}

// Writes that are spilled are the same writes, and their files go with them.
func TestRun_withLittleMemory_givesTheSame(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	whole, err := handler.Run(context.Background(), accounts(t, handler, 3_000))
	must(t, err)
	input, dir := accounts(t, handler, 3_000), t.TempDir()
	input.Overlay = OverlayOptions{MemoryBytes: 20_000, Dir: dir}
	spilled, err := handler.Run(context.Background(), input)
	must(t, err)
	if spilled.Report.SpilledBytes == 0 || whole.Report.SpilledBytes != 0 || spilled.Report.OverlayBytes > 2*20_000 {
		t.Errorf("spilled %d and %d bytes, %d in memory", whole.Report.SpilledBytes, spilled.Report.SpilledBytes, spilled.Report.OverlayBytes)
	}
	if !reflect.DeepEqual(finalWrites(t, whole), finalWrites(t, spilled)) || !reflect.DeepEqual(whole.Report.Stores, spilled.Report.Stores) {
		t.Error("the writes differ")
	}
	must(t, spilled.Discard())
	must(t, spilled.Discard())
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
	must(t, whole.Write())
	for _, after := range []error{whole.Write(), whole.Each("auth", nil), spilled.Write()} {
		if codeOf(after) != CodeInvalidArgument {
			t.Errorf("after its end: %v", after)
		}
	}
}

func TestRun_beyondTheDisk_isRefusedAndLeavesNoFile(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	input, dir := accounts(t, handler, 3_000), t.TempDir()
	input.Overlay = OverlayOptions{MemoryBytes: 20_000, DiskBytes: 30_000, Dir: dir}
	if _, err := handler.Run(context.Background(), input); codeOf(err) != CodeStoreFull {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func TestRun_storeThatRefusesAWrite_isAnError(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	input := accounts(t, handler, 10)
	store := &failingStore{badStore{MemoryStore: *input.Stores["auth"].(*MemoryStore), left: 1 << 30, cause: errDisk}}
	input.Stores["auth"] = store
	run, err := handler.Run(context.Background(), input)
	must(t, err)
	store.left = 3
	if err := run.Write(); codeOf(err) != CodeStoreIO {
		t.Errorf("got %v", err)
	}
}

func TestRehearse_looksAndWritesNothing(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	input := accounts(t, handler, 50)
	before := pairsOf(t, input.Stores["auth"])
	rehearsal, err := Rehearse(context.Background(), handler, input)
	must(t, err)
	want := []StoreChange{{Name: "auth", Changed: 50}, {Name: "bank", Added: 51}}
	if !reflect.DeepEqual(rehearsal.Changes, want) || rehearsal.Report.Gas == 0 {
		t.Errorf("got %+v", rehearsal)
	}
	if !reflect.DeepEqual(before, pairsOf(t, input.Stores["auth"])) {
		t.Error("it wrote")
	}
	input.GasLimit = rehearsal.Report.Gas
	if rehearsal, err = Rehearse(context.Background(), handler, input); err != nil || !strings.Contains(strings.Join(rehearsal.Warnings, ""), "gas are used") {
		t.Errorf("at the limit: %v, %v", rehearsal.Warnings, err)
	}
	input.GasLimit--
	if _, err = Rehearse(context.Background(), handler, input); codeOf(err) != CodeMigrationOutOfGas {
		t.Errorf("below it: %v", err)
	}
}

func TestReceipt_comesBackAsItWas(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	run, err := handler.Run(context.Background(), accounts(t, handler, 5))
	must(t, err)
	receipt := run.Receipt(map[string]RootChange{"auth": {Before: bytes.Repeat([]byte{1}, 32), After: bytes.Repeat([]byte{2}, 32)}})
	must(t, run.Discard())
	encoded := encode(t, receipt)
	decoded, err := DecodeReceipt(encoded)
	must(t, err)
	if !bytes.Equal(encode(t, decoded), encoded) || decoded.Gas != run.Report.Gas || decoded.Stores[0].Name != "auth" {
		t.Errorf("%+v came back as %+v", receipt, decoded)
	}
	if hex.EncodeToString(decoded.HandlerSHA256) != handler.SHA256 || !reflect.DeepEqual(decoded.Checks, []string{"supply", "balances"}) {
		t.Errorf("got %+v", decoded)
	}
	for cut := range encoded {
		if _, err := DecodeReceipt(encoded[:cut]); err != nil && codeOf(err) != CodeStoreCorrupt {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

func TestCheckLayout_namesEveryModuleThatDoesNotFit(t *testing.T) {
	manifest := Manifest{Name: "v2", Versions: map[string]ModuleVersions{
		"auth": {From: []uint64{1, 2}, To: 3}, "bank": {From: []uint64{1}, To: 2}, "new": {To: 1},
	}}
	must(t, manifest.CheckLayout(VersionMap{"auth": 2, "bank": 1, "other": 9}))
	err := manifest.CheckLayout(VersionMap{"auth": 3, "new": 1})
	want := `auth is stored at 3, the handler takes 1 or 2; bank is not stored, the handler takes 1; new is stored at 1, the handler brings it as new`
	if codeOf(err) != CodeHandlerLayout || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// What the comment at Input.Time says.
func TestRun_withoutATime_isTheYearOneAndCostsMore(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	gas := map[bool]uint64{}
	for _, isSet := range []bool{true, false} {
		input := accounts(t, handler, 1)
		if !isSet {
			input.Time = time.Time{}
		}
		run, err := handler.Run(context.Background(), input)
		must(t, err)
		gas[isSet] = run.Report.Gas
		must(t, run.Discard())
	}
	if more := gas[false] - gas[true]; more < 300 || more > 500 {
		t.Errorf("%d more", more)
	}
}
