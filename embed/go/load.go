package upgrade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

const (
	meteredSection = "chain-upgrade.metered"
	meterAdvice    = "put it in with `chaind handler meter FILE --out FILE`"
)

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

// LoadHandler checks a handler file and compiles it. The file must hold its metered module, which handlers that were
// built with chaind do. It fails with UPG_HANDLER_* and the first thing that is wrong.
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
	if len(file) > handlerBytesMax {
		return nil, newError(CodeHandlerLimit,
			"the file is longer than the %d bytes that are allowed; strip debug sections and build for size", handlerBytesMax)
	}
	module, err := wasmfile.Parse(file)
	if err != nil {
		return nil, moduleError(err)
	}
	payload, err := onlySection(module, manifestSection)
	if err != nil {
		return nil, err
	}
	manifest, err := ParseManifest(payload)
	if err != nil {
		return nil, err
	}
	if err := checkInterface(module, &manifest); err != nil {
		return nil, err
	}
	if err := validate(ctx, module.WithoutCustoms(file)); err != nil {
		return nil, err
	}
	metered, err := meteredModule(module)
	if err != nil {
		return nil, err
	}
	return &examination{Handler{Manifest: manifest, SHA256: hash, size: len(file)}, metered.Payload}, nil
}

// onlySection returns the payload of the custom section that there must be exactly one of.
func onlySection(module *wasmfile.Module, name string) ([]byte, error) {
	var found [][]byte
	for _, each := range module.Customs {
		if each.Name == name {
			found = append(found, each.Payload)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	what := "there is no custom section"
	if len(found) > 1 {
		what = fmt.Sprintf("there are %d custom sections", len(found))
	}
	return nil, newError(CodeHandlerManifest, "manifest: %s %s; exactly one is due", what, name)
}

// meteredModule finds the module that runs, and looks whether it belongs to the file as far as that can be seen without
// metering the file again. That its bodies are what the meter makes is what the hash says: a node that meters
// refuses a file in which they are not.
func meteredModule(module *wasmfile.Module) (*wasmfile.CustomSection, error) {
	var found *wasmfile.CustomSection
	for i := range module.Customs {
		if module.Customs[i].Name != meteredSection {
			continue
		}
		if found != nil {
			return nil, newError(CodeHandlerMetered, "there are two custom sections %s", meteredSection)
		}
		found = &module.Customs[i]
	}
	if found == nil {
		return nil, newError(CodeHandlerMetered, "the handler has no metered module (custom section %s), which is what this host runs; %s",
			meteredSection, meterAdvice)
	}
	metered, err := wasmfile.ParseMetered(found.Payload)
	if err != nil {
		return nil, newError(CodeHandlerMetered, "the custom section %s is not a metered module: %v; %s", meteredSection, err, meterAdvice).
			because(err)
	}
	if what := wasmfile.CompareMetered(module, metered, memoryPagesMax); what != "" {
		return nil, newError(CodeHandlerMetered, "the custom section %s is not what metering this handler gives: %s; %s",
			meteredSection, what, meterAdvice)
	}
	return found, nil
}

var moduleCodes = map[wasmfile.Kind]Code{
	wasmfile.Format: CodeHandlerFormat, wasmfile.Limit: CodeHandlerLimit, wasmfile.Memory: CodeHandlerMemory,
	wasmfile.ImportKind: CodeHandlerImport, wasmfile.Opcode: CodeHandlerOpcode,
}

var moduleAdvice = map[wasmfile.Kind]string{
	wasmfile.Format: "; the file is damaged or its compiler is at fault: build it again, and check it with wasm-validate",
	wasmfile.Limit:  "; make it smaller, or split it",
}

func moduleError(err error) error {
	problem := &wasmfile.Problem{}
	if !errors.As(err, &problem) {
		return newError(CodeHandlerFormat, "%v", err)
	}
	return newError(moduleCodes[problem.Kind], "at byte %d: %s%s", problem.Offset, problem.What, moduleAdvice[problem.Kind]).
		with("offset", fmt.Sprint(problem.Offset))
}
