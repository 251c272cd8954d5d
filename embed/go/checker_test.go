package upgrade

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestChecker_otherBytes_areRefused(t *testing.T) {
	err := compileChecker(append([]byte{}, checkWasm[:len(checkWasm)-1]...))
	if codeOf(err) != CodeBugCoreABI || !strings.Contains(err.Error(), checkSHA256) {
		t.Errorf("got %v", err)
	}
}

func TestChecker_trap_isAnErrorOfTheMachineAndTheNextCheckWorks(t *testing.T) {
	err := withChecker(func(c *checker) error {
		_, err := c.call("check_file", 1, 0) // no input was put in before
		return err
	})
	if codeOf(err) != CodeHandlerEngine {
		t.Errorf("got %v", err)
	}
	load(t, guest(t, "split-balances"), LoadOptions{})
}

func TestChecker_fileOfAByteTooMany_isRefusedInTheWordsOfCheckWasm(t *testing.T) {
	found, err := checkFile(make([]byte, handlerBytesMax+1), false)
	must(t, err)
	var want *checkedFile
	must(t, withChecker(func(c *checker) (err error) {
		want, err = c.check(handlerBytesMax+1, 0)
		return err
	}))
	if !reflect.DeepEqual(found.findings, want.findings) || len(want.findings) != 1 {
		t.Errorf("got %+v, want %+v", found.findings, want.findings)
	}
}

// check.wasm takes a length of 32 bits, and this one has more. None of the memory is touched.
func TestChecker_fileOfMoreThan4GiB_isRefusedByItsLength(t *testing.T) {
	length := uint64(1)<<32 + 8
	if uint64(int(length)) != length {
		t.Skip("no file is so long here")
	}
	checked, err := checkFile(make([]byte, length), false)
	must(t, err)
	if failure := checked.failure(); failure == nil || failure.Code != CodeHandlerLimit {
		t.Errorf("got %v", failure)
	}
}

func TestChecker_filesAndReceiptsAtTheSameTime_doNotMix(t *testing.T) {
	var all sync.WaitGroup
	for _, name := range []string{"split-balances", "re-key", "split-balances", "re-key"} {
		file := guest(t, name)
		all.Go(func() {
			for range 5 {
				handler, err := LoadHandler(context.Background(), file, LoadOptions{Interpreter: true})
				if err != nil {
					t.Error(err)
					return
				}
				receipt := Receipt{Plan: handler.SHA256}
				encoded, err := receipt.Encode()
				decoded, decoding := DecodeReceipt(encoded)
				if err != nil || decoding != nil || !reflect.DeepEqual(decoded, receipt) {
					t.Errorf("%v, %v: %+v came back as %+v", err, decoding, receipt, decoded)
				}
				if err := handler.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

const fullManifest = `{
	"abi": 1, "name": "v2", "gasLimit": "1000000",
	"stores": [{"name": "auth", "access": "rw", "prefixes": ["01", "02ff"]}, {"name": "upgrade", "access": "r"}],
	"storeUpgrades": {"added": ["bank"], "renamed": [{"old_key": "a", "new_key": "b"}], "deleted": ["c"]},
	"versions": {"auth": {"from": [1, "200"], "to": "4294967295"}, "new": {"to": 1}},
	"removes": ["old"],
	"scans": [{"store": "auth", "prefix": "0102"}, {"store": "upgrade"}],
	"allows": {"deleteStores": ["c"], "removeModules": ["old"], "writeStores": ["auth"], "keepStores": ["x"], "emptyVersionMap": true}
}`

func TestParseManifest_everyField_isThere(t *testing.T) {
	manifest, err := ParseManifest([]byte(fullManifest))
	must(t, err)
	want := Manifest{
		ABI: 1, Name: "v2", GasLimit: 1_000_000,
		Stores: []ManifestStore{{Name: "auth", Writable: true, Prefixes: [][]byte{{1}, {2, 0xff}}}, {Name: "upgrade"}},
		StoreUpgrades: StoreUpgrades{
			Added: []string{"bank"}, Renamed: []StoreRename{{OldKey: "a", NewKey: "b"}}, Deleted: []string{"c"},
		},
		Versions: map[string]ModuleVersions{"auth": {From: []uint64{1, 200}, To: 4_294_967_295}, "new": {To: 1}},
		Removes:  []string{"old"},
		Scans:    []ManifestScan{{Store: "auth", Prefix: []byte{1, 2}}, {Store: "upgrade"}},
		Allows: Allowances{
			DeleteStores: []string{"c"}, RemoveModules: []string{"old"}, WriteStores: []string{"auth"}, KeepStores: []string{"x"},
			EmptyVersionMap: true,
		},
	}
	if !reflect.DeepEqual(manifest, want) {
		t.Errorf("got %+v", manifest)
	}
}

// Each field has its bytes for itself: who appends to one changes no other.
func TestParseManifest_appendToAPrefix_changesNoOther(t *testing.T) {
	manifest, err := ParseManifest([]byte(fullManifest))
	must(t, err)
	prefixes := manifest.Stores[0].Prefixes
	_ = append(prefixes[0], 0xee, 0xee, 0xee, 0xee)
	if want := [][]byte{{1}, {2, 0xff}}; !reflect.DeepEqual(prefixes, want) {
		t.Errorf("got %x, want %x", prefixes, want)
	}
}

func TestParseManifest_whatIsWrong_isNamedByItsPath(t *testing.T) {
	var fields map[string]any
	must(t, json.Unmarshal([]byte(fullManifest), &fields))
	for path, change := range map[string]map[string]any{
		"$.abi":                  {"abi": 2},
		"$.gasLimit":             {"gasLimit": "01"},
		"$.stores[1].access":     {"stores": []any{fields["stores"].([]any)[0], map[string]any{"name": "upgrade", "access": "rw"}}},
		`$["a \"b\": c"]`:        {`a "b": c`: 1},
		"$.versions.new.to":      {"versions": map[string]any{"new": map[string]any{"to": nil}}},
		"$.scans[0].store":       {"scans": []any{map[string]any{"store": "none"}}},
		"$.allows.keepStores[1]": {"allows": map[string]any{"keepStores": []any{"x", "x"}}},
	} {
		changed := maps.Clone(fields)
		maps.Copy(changed, change)
		payload, err := json.Marshal(changed)
		must(t, err)
		_, err = ParseManifest(payload)
		if failure, ok := err.(*Error); !ok || failure.Code != CodeHandlerManifest || failure.Details["path"] != path {
			t.Errorf("%s: got %v", path, err)
		}
	}
	for _, payload := range []string{"", "{} {}", strings.Repeat(" ", 2_000_000)} {
		if _, err := ParseManifest([]byte(payload)); codeOf(err) != CodeHandlerManifest || !strings.HasPrefix(err.Error(), "manifest: ") {
			t.Errorf("%.10q: got %v", payload, err)
		}
	}
}
