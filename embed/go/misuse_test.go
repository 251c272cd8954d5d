package upgrade

import (
	"context"
	"strings"
	"testing"
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
