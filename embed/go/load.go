package upgrade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
)

// engineReasonBytesMax bounds what is quoted of the engine's reason: it may hold names of the file.
const engineReasonBytesMax = 200

// LoadOptions say how a handler is loaded.
type LoadOptions struct {
	// SHA256 of the file that a plan pins, in hex; "": any file.
	SHA256 string
	// Interpreter runs the handler in wazero's interpreter also where its compiler works.
	Interpreter bool
	// Interruptible ends a guest that computes without end as soon as the context ends. Compiled code then looks at it in
	// every loop: real handlers lose little, loops that do nothing else take many times as long. Without it such a guest
	// ends by its gas. In the interpreter it is always so.
	Interruptible bool
}

// Handler is a file that passed every check, compiled. It may run many times, also at the same time.
type Handler struct {
	Manifest Manifest
	// SHA256 of the file, lower-case hex: what a plan pins.
	SHA256 string
	// size of the file, which gas counts.
	size   int
	engine *engine
}

// LoadHandler checks a handler file with check.wasm, and compiles the metered module that check.wasm makes of it. A file
// that carries another one is refused. It fails with UPG_HANDLER_* and the first thing that is wrong.
//
// When the context ends before the handler is loaded, LoadHandler returns UPG_HANDLER_ENGINE at once. An engine cannot be
// stopped in the middle of a compile: what it had begun goes on in another goroutine, a second or so for the largest files
// that are taken, and is closed there. The context that loaded a handler has no part in its runs.
func LoadHandler(ctx context.Context, file []byte, options LoadOptions) (*Handler, error) {
	if ctx == nil {
		return nil, noContext()
	}
	if cause := ctx.Err(); cause != nil {
		return nil, loadingCancelled(cause)
	}
	// A longer file is refused before it is read; the caller may change the bytes of the others once this returns.
	if ctx.Done() == nil || len(file) > handlerBytesMax {
		return loadHandler(ctx, file, options)
	}
	return loadUntil(ctx, bytes.Clone(file), options)
}

type loaded struct {
	handler *Handler
	err     error
}

// loadUntil the context ends: what is loaded later is closed.
func loadUntil(ctx context.Context, file []byte, options LoadOptions) (*Handler, error) {
	compiling := context.WithoutCancel(ctx)
	done := make(chan loaded)
	go func() {
		var result loaded
		result.handler, result.err = loadHandler(compiling, file, options)
		select {
		case done <- result:
		case <-ctx.Done():
			result.drop(compiling)
		}
	}()
	select {
	case result := <-done:
		if cause := ctx.Err(); cause != nil {
			result.drop(compiling)
			return nil, loadingCancelled(cause)
		}
		return result.handler, result.err
	case <-ctx.Done():
		return nil, loadingCancelled(ctx.Err())
	}
}

func (l loaded) drop(ctx context.Context) {
	if l.handler != nil {
		_ = l.handler.Close(ctx)
	}
}

func loadHandler(ctx context.Context, file []byte, options LoadOptions) (handler *Handler, err error) {
	defer recoverInto(&err, "the handler could not be read")
	examined, err := examine(ctx, file, options.SHA256)
	if err != nil {
		return nil, err
	}
	engine, err := newEngine(ctx, examined.metered, options)
	if err != nil {
		return nil, err
	}
	handler = &examined.handler
	handler.engine = engine
	return handler, nil
}

// Close gives up the compiled code. No run may be under way.
func (h *Handler) Close(ctx context.Context) error { return h.engine.close(ctx) }

type examination struct {
	handler Handler
	metered []byte
}

func examine(ctx context.Context, file []byte, pinned string) (*examination, error) {
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	if pinned != "" && !strings.EqualFold(pinned, hash) {
		return nil, newError(CodeHandlerHash, "the handler's SHA-256 is %q, the plan pins %q", hash, pinned).
			with("expected", strings.ToLower(pinned)).with("actual", hash)
	}
	checked, err := checkFile(file, false)
	if err != nil {
		return nil, err
	}
	var invalid error
	if !checked.isRefused() {
		if invalid, err = validate(ctx, file); err != nil {
			return nil, err
		}
	}
	if invalid != nil {
		if checked, err = checkFile(file, true); err != nil {
			return nil, err
		}
	}
	if failure := checked.failure(); failure != nil {
		if invalid != nil {
			failure.Message += fmt.Sprintf(" (wazero: %s)", guesttext.Text([]byte(invalid.Error()), engineReasonBytesMax))
		}
		return nil, failure.because(invalid)
	}
	if checked.gasSchedule != gasSchedule {
		return nil, coreMisfit("check.wasm meters by schedule %q, this host charges by %q", checked.gasSchedule, gasSchedule)
	}
	return &examination{Handler{Manifest: *checked.manifest, SHA256: hash, size: len(file)}, checked.metered}, nil
}
