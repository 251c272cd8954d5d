package upgrade

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// coreFeatures are what engines validate a handler with. check.wasm refuses the instructions and types of reference types; without
// them wazero refuses a br_table in dead code that other engines take.
const coreFeatures = api.CoreFeatureMutableGlobal | api.CoreFeatureSignExtensionOps | api.CoreFeatureBulkMemoryOperations |
	api.CoreFeatureReferenceTypes

// engine is a handler compiled, and the imports that it is offered.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	isClosed atomic.Bool
}

// newEngine uses wazero's compiler where the machine has one, else its interpreter: they count the same gas.
func newEngine(ctx context.Context, metered []byte, options LoadOptions) (made *engine, err error) {
	defer recoverInto(&err, "the engine could not compile the handler")
	config := wazero.NewRuntimeConfig()
	if options.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.WithCloseOnContextDone(options.Interpreter || options.Interruptible)
	runtime := wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(coreFeatures).WithMemoryLimitPages(memoryPagesMax))
	defer func() {
		if made == nil {
			_ = runtime.Close(ctx)
		}
	}()
	if err := offerImports(ctx, runtime); err != nil {
		return nil, engineError("the engine could not offer the imports", err)
	}
	compiled, err := runtime.CompileModule(ctx, metered)
	if err != nil {
		return nil, engineError("the engine could not compile the handler", err)
	}
	return &engine{runtime: runtime, compiled: compiled}, nil
}

// validate asks the engine whether a file is valid WebAssembly; invalid says why not. Custom sections are left out: engines
// read some of them.
func validate(ctx context.Context, file []byte) (invalid, err error) {
	defer recoverInto(&err, "the engine could not read the handler")
	module, err := wasmfile.WithoutCustoms(file)
	if err != nil {
		return err, nil
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(coreFeatures))
	defer runtime.Close(ctx)
	_, invalid = runtime.CompileModule(ctx, module)
	return invalid, nil
}

// instantiate makes a fresh instance; nothing of it runs yet.
func (e *engine) instantiate(ctx context.Context) (module api.Module, err error) {
	defer recoverInto(&err, "the engine could not instantiate the handler")
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err = e.runtime.InstantiateModule(ctx, e.compiled, config)
	if err != nil {
		return nil, engineError("the engine could not instantiate the handler", err)
	}
	return module, nil
}

func (e *engine) close(ctx context.Context) error {
	e.isClosed.Store(true)
	return e.runtime.Close(ctx)
}

// engineError is what the engine or the machine could not do. It is never a result of the handler.
func engineError(what string, cause error) *Error {
	return newError(CodeHandlerEngine, "%s: %v. This is a limit of this engine or machine, not a result of the handler: another "+
		"node may not see it; free memory or use another machine, and start again", what, cause).because(cause)
}

// recoverInto makes an error of a panic of the engine.
func recoverInto(err *error, what string) {
	if thrown := recover(); thrown != nil {
		*err = engineError(what, thrownError(thrown))
	}
}

// thrownError is a panic's value as an error: anything can be thrown.
func thrownError(thrown any) error {
	if err, ok := thrown.(error); ok {
		return err
	}
	return fmt.Errorf("%v", thrown)
}
