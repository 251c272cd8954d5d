package upgrade

import (
	"bytes"
	"context"
	"encoding/base64"
	"sync"
	"testing"
	"time"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

// guests are the files of the handler cases by name; nil until a test needs one.
var guests = struct {
	sync.Mutex
	files map[string]string
}{}

// guest is the file of a guest of the handler cases.
func guest(t *testing.T, name string) []byte {
	t.Helper()
	guests.Lock()
	defer guests.Unlock()
	if guests.files == nil {
		var vectors handlerVectors
		readVectors(t, "handler-cases.json.gz", &vectors)
		guests.files = map[string]string{}
		for _, each := range vectors.Guests {
			guests.files[each.Name] = each.Wasm
		}
	}
	encoded, ok := guests.files[name]
	if !ok {
		t.Fatalf("there is no guest %q", name)
	}
	file, err := base64.StdEncoding.DecodeString(encoded)
	must(t, err)
	return file
}

func load(t *testing.T, file []byte, options LoadOptions) *Handler {
	t.Helper()
	handler, err := LoadHandler(context.Background(), file, options)
	must(t, err)
	t.Cleanup(func() { must(t, handler.Close(context.Background())) })
	return handler
}

// inputOf the guests that were written by hand, and empty stores for all that the manifest lists.
func inputOf(handler *Handler) Input {
	input := Input{
		ChainID: "test-1", Height: 100, Time: time.Unix(1_700_000_000, 0).UTC(), Plan: Plan{Name: handler.Manifest.Name, Height: 100},
		Versions: VersionMap{}, Stores: Stores{}, WithoutGuards: true,
	}
	for module, versions := range handler.Manifest.Versions {
		if versions.From != nil {
			input.Versions[module] = versions.From[0]
		}
	}
	for _, store := range handler.Manifest.Stores {
		input.Stores[store.Name] = &MemoryStore{}
	}
	return input
}

const meteredSection = "chain-upgrade.metered"

// meteredOf takes the metered module out of a file.
func meteredOf(t *testing.T, file []byte) (plain, metered []byte) {
	t.Helper()
	name := append([]byte{byte(len(meteredSection))}, meteredSection...)
	sections, err := wasmfile.Sections(file)
	must(t, err)
	for _, each := range sections {
		if metered, ok := bytes.CutPrefix(each.Content, name); ok && each.ID == wasmfile.Custom {
			return append(bytes.Clone(file[:each.Start]), file[each.End:]...), metered
		}
	}
	t.Fatal("the file has no metered module")
	return nil, nil
}
