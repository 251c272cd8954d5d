package upgrade

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/experimental"
)

func TestLoadHandler_contextThatEndedBefore_isAnErrorOfOurs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, file := range [][]byte{guest(t, "split-balances"), nil, make([]byte, handlerBytesMax+1)} {
		handler, err := LoadHandler(ctx, file, LoadOptions{})
		if handler != nil || codeOf(err) != CodeHandlerEngine || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// Whenever the context ends, there is a handler that works or an error of ours, and no goroutine stays; nor is a file's
// content looked at once LoadHandler returned (the race detector sees that the bytes are changed here).
func TestLoadHandler_contextThatEndsMeanwhile_isAnErrorOfOursAndLeavesNothing(t *testing.T) {
	whole := guest(t, "split-balances")
	before := runtime.NumGoroutine()
	ended := 0
	for _, mode := range modes {
		for delay := time.Duration(0); delay < 6*time.Millisecond; delay += 200 * time.Microsecond {
			// With workers the compiler looks at the context itself: that is no fault of the module.
			ctx, cancel := context.WithTimeout(experimental.WithCompilationWorkers(context.Background(), 2), delay)
			file := bytes.Clone(whole)
			handler, err := LoadHandler(ctx, file, LoadOptions{Interpreter: mode.interpreter})
			clear(file)
			cancel()
			if err != nil {
				ended++
				if handler != nil || codeOf(err) != CodeHandlerEngine || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %v: got %v", delay, err)
				}
				continue
			}
			run, err := handler.Run(context.Background(), inputOf(handler))
			must(t, err)
			must(t, run.Discard())
			must(t, handler.Close(context.Background()))
		}
	}
	if ended == 0 {
		t.Error("no load was ended by its context")
	}
	for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines stay", runtime.NumGoroutine()-before)
		}
	}
}

// A file that is too long is refused in the caller's goroutine, so it must not wait for another caller's check.
func TestLoadHandler_longFileWhileAnotherFileIsChecked_isRefusedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	refused := make(chan error, 1)
	checkModule.Lock()
	defer checkModule.Unlock()
	go func() {
		_, err := LoadHandler(ctx, make([]byte, handlerBytesMax+1), LoadOptions{})
		refused <- err
	}()
	select {
	case err := <-refused:
		if codeOf(err) != CodeHandlerLimit {
			t.Errorf("got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits")
	}
}

func TestLoadHandler_wrongFileWithAContextThatCouldEnd_isRefusedAsWithout(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := LoadHandler(ctx, []byte("nothing"), LoadOptions{})
	if codeOf(err) != CodeHandlerFormat {
		t.Errorf("got %v", err)
	}
	handler, err := LoadHandler(ctx, guest(t, "split-balances"), LoadOptions{})
	must(t, err)
	cancel()
	run, err := handler.Run(context.Background(), inputOf(handler))
	must(t, err)
	must(t, run.Discard())
	must(t, handler.Close(context.Background()))
}
