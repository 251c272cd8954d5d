package upgrade

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
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

// check.wasm makes the metered module, so a file runs without carrying it.
func TestLoadHandler_withoutMeteredModule_runsAlike(t *testing.T) {
	plain, _ := meteredOf(t, guest(t, "split-balances"))
	var gas []uint64
	for _, file := range [][]byte{plain, withSection(plain, "name", nil)} {
		handler := load(t, file, LoadOptions{})
		run, err := handler.Run(context.Background(), accounts(t, handler, 5))
		must(t, err)
		must(t, run.Discard())
		gas = append(gas, run.Report.Gas-uint64(len(file))*priceFileByte)
	}
	if gas[0] != gas[1] || gas[0] == 0 {
		t.Errorf("got %v", gas)
	}
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

func sectionOf(t *testing.T, module []byte, id byte) []byte {
	t.Helper()
	sections, err := wasmfile.Sections(module)
	must(t, err)
	for _, section := range sections {
		if section.ID == id {
			return section.Content
		}
	}
	return nil
}

// rewritten is a module with one section replaced, put in or, for nil, left out.
func rewritten(t *testing.T, module []byte, id byte, content []byte) []byte {
	t.Helper()
	sections, err := wasmfile.Sections(module)
	must(t, err)
	out := bytes.Clone(module[:8])
	put := func(id byte, content []byte) {
		out = binary.AppendUvarint(append(out, id), uint64(len(content)))
		out = append(out, content...)
	}
	isDone, isThere := false, sectionOf(t, module, id) != nil
	for _, section := range sections {
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

const notMetered = "is not the metered form of this module"

func TestLoadHandler_meteredModuleOfAnotherShape_isRefused(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	_, other := meteredOf(t, guest(t, "re-key"))
	more := func(id byte, add ...byte) []byte {
		content := bytes.Clone(sectionOf(t, metered, id))
		content[0]++
		return append(content, add...)
	}
	cases := map[string][]byte{
		"no module":              []byte("nothing"),
		"of another handler":     other,
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
		"a body of nothing":      rewritten(t, metered, codeSection, bytes.Repeat([]byte{1}, len(sectionOf(t, metered, codeSection)))),
	}
	for name, section := range cases {
		t.Run(name, func(t *testing.T) {
			refusedWith(t, withSection(plain, meteredSection, section), LoadOptions{}, CodeHandlerMetered, notMetered)
		})
	}
	for words, file := range map[string][]byte{
		"two custom sections": withSection(withSection(plain, meteredSection, metered), meteredSection, metered),
		"ends after":          withSection(plain, meteredSection, metered[:len(metered)-9]),
		notMetered:            withSection(plain, meteredSection, withSection(metered, "name", nil)),
	} {
		refusedWith(t, file, LoadOptions{}, CodeHandlerMetered, words)
	}
}

// Every byte of the metered module counts: of files with one other byte in it, earlier versions of this host took one in twelve.
func TestLoadHandler_anyOtherByteInTheMeteredModule_isRefused(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		forged := bytes.Clone(metered)
		at := random.IntN(len(forged))
		forged[at] ^= byte(1 + random.IntN(255))
		refusedWith(t, withSection(plain, meteredSection, forged), LoadOptions{}, CodeHandlerMetered, notMetered)
	}
}

// Globals that begin otherwise than the meter begins them would give gas or stack away, or make loads cheap.
func TestLoadHandler_countersThatBeginOtherwise_areRefused(t *testing.T) {
	plain, metered := meteredOf(t, guest(t, "split-balances"))
	globals := sectionOf(t, metered, globalSection)
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
			refusedWith(t, forged, LoadOptions{}, CodeHandlerMetered, notMetered)
		})
	}
}

// exportIndex is the index of what a module exports by this name.
func exportIndex(t *testing.T, module []byte, name string) uint64 {
	t.Helper()
	_, entry, ok := bytes.Cut(sectionOf(t, module, exportSection), append([]byte{byte(len(name))}, name...))
	if !ok {
		t.Fatalf("there is no export %s", name)
	}
	index, _ := binary.Uvarint(entry[1:]) // after its kind
	return index
}

// withRunBody is a module whose handler_run is this body.
func withRunBody(t *testing.T, module, body []byte) []byte {
	t.Helper()
	imports, _ := binary.Uvarint(sectionOf(t, module, importSection))
	run := exportIndex(t, module, "handler_run") - imports
	rest := sectionOf(t, module, codeSection)
	count, n := binary.Uvarint(rest)
	out := binary.AppendUvarint(nil, count)
	for i := range count {
		rest = rest[n:]
		size, m := binary.Uvarint(rest)
		each := rest[m : m+int(size)]
		if i == run {
			each = body
		}
		out = append(binary.AppendUvarint(out, uint64(len(each))), each...)
		n = m + int(size)
	}
	return rewritten(t, module, codeSection, out)
}

// withHandlerRun is a file whose metered handler_run is this code, without locals.
func withHandlerRun(t *testing.T, file []byte, code func(gas uint64) []byte) []byte {
	t.Helper()
	plain, metered := meteredOf(t, file)
	body := append([]byte{0}, code(exportIndex(t, metered, counterExports[0]))...)
	return withSection(plain, meteredSection, withRunBody(t, metered, body))
}

// Code that is never reached may branch to labels of several types at once.
func TestLoadHandler_brTableOfSeveralTypesInDeadCode_loads(t *testing.T) {
	plain, _ := meteredOf(t, guest(t, "split-balances"))
	// (block (result i32) (block (result i64) unreachable (br_table 0 1)) drop (i32.const 0)) drop (i32.const 0)
	code := []byte{0x02, 0x7f, 0x02, 0x7e, 0x00, 0x0e, 1, 0, 1, 0x0b, 0x1a, 0x41, 0, 0x0b, 0x1a, 0x41, 0, 0x0b}
	file := withRunBody(t, plain, append([]byte{0}, code...))
	for _, mode := range modes {
		handler := load(t, file, LoadOptions{Interpreter: mode.interpreter})
		if _, err := handler.Run(context.Background(), accounts(t, handler, 1)); codeOf(err) != CodeHandlerTrap {
			t.Errorf("%s: got %v", mode.name, err)
		}
	}
}

func TestLoadHandler_operandsOfTheWrongType_areRefusedWithTheReasonOfTheEngine(t *testing.T) {
	plain, _ := meteredOf(t, guest(t, "split-balances"))
	file := withRunBody(t, plain, []byte{0, 0x42, 7, 0x0b}) // i64.const 7, where an i32 is due
	refusedWith(t, file, LoadOptions{}, CodeHandlerFormat, "(the engine refuses the module); rebuild it, and check it with wasm-validate (wazero: ")
}

func TestLoadHandler_meteredModuleThatGivesItselfGas_isRefused(t *testing.T) {
	const set, i64 = 0x24, 0x42
	for name, gas := range map[string][]byte{
		"2^63 - 1": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00},
		"2^62":     {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00},
	} {
		t.Run(name, func(t *testing.T) {
			file := withHandlerRun(t, guest(t, "split-balances"), func(index uint64) []byte {
				return slices.Concat([]byte{i64}, gas, []byte{set}, binary.AppendUvarint(nil, index), []byte{0x41, 0, 0x0b})
			})
			refusedWith(t, file, LoadOptions{}, CodeHandlerMetered, notMetered)
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
