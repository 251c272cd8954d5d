package upgrade

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

func TestCalls_withoutContext_sayWhatIsMissing(t *testing.T) {
	var none context.Context
	file := guest(t, "split-balances")
	handler := load(t, file, LoadOptions{})
	_, core := NewCore(none, CoreOptions{})
	_, loading := LoadHandler(none, file, LoadOptions{})
	_, running := handler.Run(none, inputOf(handler))
	_, rehearsing := Rehearse(none, handler, inputOf(handler))
	for name, err := range map[string]error{"NewCore": core, "LoadHandler": loading, "Run": running, "Rehearse": rehearsing} {
		if codeOf(err) != CodeInvalidArgument || !strings.Contains(err.Error(), "the context is nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRun_afterClose_isAnError(t *testing.T) {
	handler, err := LoadHandler(context.Background(), guest(t, "split-balances"), LoadOptions{})
	must(t, err)
	must(t, handler.Close(context.Background()))
	_, err = handler.Run(context.Background(), inputOf(handler))
	if codeOf(err) != CodeInvalidArgument || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
}

func TestRun_gasLimitOfMoreThanAManifestCanHave_isRefused(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	input := inputOf(handler)
	for _, limit := range []uint64{1_000_000_000_001, 1 << 62, 1<<64 - 1} {
		input.GasLimit = limit
		_, err := handler.Run(context.Background(), input)
		if codeOf(err) != CodeInvalidArgument || !strings.Contains(err.Error(), "at most 1000000000000, got") {
			t.Errorf("%d: got %v", limit, err)
		}
	}
	input.GasLimit = 1_000_000_000_000
	if _, err := handler.Run(context.Background(), input); codeOf(err) == CodeInvalidArgument {
		t.Error(err)
	}
}

// withHandlerRun is a file whose metered handler_run is this code, without locals.
func withHandlerRun(t *testing.T, file []byte, code func(gas uint32) []byte) []byte {
	t.Helper()
	plain, metered := meteredOf(t, file)
	parsed, err := wasmfile.ParseMetered(metered)
	must(t, err)
	at := func(name string) uint32 {
		i := slices.IndexFunc(parsed.Exports, func(export wasmfile.Export) bool { return export.Name == name })
		return parsed.Exports[i].Index
	}
	body := append([]byte{0}, code(at(wasmfile.CounterExports[0]))...)
	rest := parsed.Section(codeSection)
	count, n := binary.Uvarint(rest)
	out := binary.AppendUvarint(nil, count)
	for i := range count {
		rest = rest[n:]
		size, m := binary.Uvarint(rest)
		each := rest[m : m+int(size)]
		if i == uint64(at("handler_run"))-uint64(len(parsed.Imports)) {
			each = body
		}
		out = append(binary.AppendUvarint(out, uint64(len(each))), each...)
		n = m + int(size)
	}
	return withSection(plain, meteredSection, rewritten(t, metered, codeSection, out))
}

func TestRun_meteredModuleThatGivesItselfGas_isRefused(t *testing.T) {
	const set, i64 = 0x24, 0x42
	for name, gas := range map[string][]byte{
		"2^63 - 1": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00},
		"2^62":     {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00},
	} {
		for end, code := range map[string][]byte{"and ends": {0x41, 0, 0x0b}, "and traps": {0, 0x0b}} {
			t.Run(name+", "+end, func(t *testing.T) {
				file := withHandlerRun(t, guest(t, "split-balances"), func(index uint32) []byte {
					return slices.Concat([]byte{i64}, gas, []byte{set}, binary.AppendUvarint(nil, uint64(index)), code)
				})
				handler := load(t, file, LoadOptions{})
				run, err := handler.Run(context.Background(), inputOf(handler))
				if run != nil || codeOf(err) != CodeHandlerMetered || !strings.Contains(err.Error(), "does not count") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
