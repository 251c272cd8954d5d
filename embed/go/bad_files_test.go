package upgrade

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

func refusedWith(t *testing.T, file []byte, options LoadOptions, code Code, words string) {
	t.Helper()
	handler, err := LoadHandler(context.Background(), file, options)
	if err == nil {
		_ = handler.Close(context.Background())
	}
	if codeOf(err) != code || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want %s with %q", err, code, words)
	}
}

func TestLoadHandler_anotherHash_isRefused(t *testing.T) {
	file := guest(t, "split-balances")
	handler := load(t, file, LoadOptions{})
	load(t, file, LoadOptions{SHA256: strings.ToUpper(handler.SHA256)})
	refusedWith(t, append(bytes.Clone(file), 0), LoadOptions{SHA256: handler.SHA256}, CodeHandlerHash, `the plan pins "`+handler.SHA256+`"`)
	refusedWith(t, file, LoadOptions{SHA256: "not a hash"}, CodeHandlerHash, `the plan pins "not a hash"`)
	refusedWith(t, file, LoadOptions{SHA256: handler.SHA256 + "\n"}, CodeHandlerHash,
		`SHA-256 is "`+handler.SHA256+`", the plan pins "`+handler.SHA256+`\n"`)
}

func TestLoadHandler_withoutMeteredModule_saysWhatToDo(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	refusedWith(t, plain, LoadOptions{}, CodeHandlerMetered, "chaind handler meter")
	twice := withSection(withSection(plain, meteredSection, metered), meteredSection, metered)
	refusedWith(t, twice, LoadOptions{}, CodeHandlerMetered, "two custom sections")
}

// section ids of the WebAssembly format.
const (
	importSection = 2
	functions     = 3
	memorySection = 5
	globalSection = 6
	exportSection = 7
	startSection  = 8
	codeSection   = 10
	dataSection   = 11
)

// rewritten is a module with one section replaced, put in or, for nil, left out.
func rewritten(t *testing.T, module []byte, id byte, content []byte) []byte {
	t.Helper()
	parsed, err := wasmfile.ParseMetered(module)
	must(t, err)
	out := bytes.Clone(module[:8])
	put := func(id byte, content []byte) {
		out = binary.AppendUvarint(append(out, id), uint64(len(content)))
		out = append(out, content...)
	}
	isDone, isThere := false, parsed.Section(id) != nil
	for _, section := range parsed.Sections {
		if !isDone && content != nil && (section.ID == id || !isThere && section.ID > id) {
			put(id, content)
			isDone = true
		}
		if section.ID != id {
			put(section.ID, section.Content)
		}
	}
	return out
}

func TestLoadHandler_meteredModuleOfAnotherShape_isRefused(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	_, other := meteredOf(t, guest(t, "re-key"))
	parsed, err := wasmfile.ParseMetered(metered)
	must(t, err)
	more := func(id byte, add ...byte) []byte {
		content := bytes.Clone(parsed.Section(id))
		content[0]++
		return append(content, add...)
	}
	cases := map[string][]byte{
		"no module":              []byte("nothing"),
		"cut short":              metered[:len(metered)-9],
		"of another handler":     other,
		"with a custom section":  withSection(metered, "name", nil),
		"with a start section":   rewritten(t, metered, startSection, []byte{0}),
		"memory of 513 pages":    rewritten(t, metered, memorySection, []byte{1, 1, 1, 0x81, 0x04}),
		"memory without maximum": rewritten(t, metered, memorySection, []byte{1, 0, 1}),
		"no memory":              rewritten(t, metered, memorySection, nil),
		"one import less":        rewritten(t, metered, importSection, []byte{0}),
		"one import more":        rewritten(t, metered, importSection, more(importSection, 1, 'x', 1, 'y', 0, 0)),
		"one export less":        rewritten(t, metered, exportSection, []byte{0}),
		"one global more":        rewritten(t, metered, globalSection, more(globalSection, 0x7f, 0, 0x41, 0, 0x0b)),
		"other data":             rewritten(t, metered, dataSection, []byte{0}),
		"no functions":           rewritten(t, metered, functions, nil),
		"a body of nothing": rewritten(t, metered, codeSection,
			append([]byte{}, bytes.Repeat([]byte{1}, len(parsed.Section(codeSection)))...)),
	}
	for name, section := range cases {
		t.Run(name, func(t *testing.T) {
			refusedWith(t, withSection(plain, meteredSection, section), LoadOptions{}, CodeHandlerMetered, "handler meter")
		})
	}
}

// Globals that begin otherwise than the meter begins them would give gas or stack away, or make loads cheap.
func TestLoadHandler_countersThatBeginOtherwise_areRefused(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	parsed, err := wasmfile.ParseMetered(metered)
	must(t, err)
	globals := parsed.Section(globalSection)
	added := []byte{0x7e, 1, 0x42, 0, 0x0b, 0x7f, 1, 0x41, 0x80, 0x80, 0x10, 0x0b, 0x7f, 1, 0x41, 0, 0x0b, 0x7f, 1, 0x41}
	at := bytes.LastIndex(globals, added)
	if at < 0 {
		t.Fatal("the counters are not where they are looked for")
	}
	for name, offset := range map[string]int{"gas": 3, "stack": 10, "refused": 15, "large memory": 20} {
		t.Run(name, func(t *testing.T) {
			changed := bytes.Clone(globals)
			changed[at+offset] ^= 1
			forged := withSection(plain, meteredSection, rewritten(t, metered, globalSection, changed))
			refusedWith(t, forged, LoadOptions{}, CodeHandlerMetered, "what they hold at first")
		})
	}
}

// A flipped byte or a cut never ends in a panic, a hang or an error of another kind.
func TestLoadHandler_damagedFiles_areRefusedOrLoad(t *testing.T) {
	file := guest(t, "re-key")
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		damaged := bytes.Clone(file)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		if random.IntN(3) == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		}
		handler, err := LoadHandler(context.Background(), damaged, LoadOptions{Interpreter: true})
		if err == nil {
			_ = handler.Close(context.Background())
			continue
		}
		if !strings.HasPrefix(string(codeOf(err)), "UPG_HANDLER_") {
			t.Errorf("refused with %q: %v", codeOf(err), err)
		}
	}
}

func TestLoadHandler_longFile_isRefused(t *testing.T) {
	refusedWith(t, make([]byte, handlerBytesMax+1), LoadOptions{}, CodeHandlerLimit, "longer than")
	refusedWith(t, nil, LoadOptions{}, CodeHandlerFormat, "not a WebAssembly file")
}
