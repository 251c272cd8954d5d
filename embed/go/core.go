package upgrade

import (
	"context"
	"sync"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
	"github.com/tetratelabs/wazero"
)

const upgradeStore = "upgrade"

// Core is core.wasm, which decides about plans and keeps the records of the upgrade module (docs/abi.md). Each call is
// given the store that it reads or writes: the upgrade module's own, and nothing else. The core remembers nothing between
// calls. A method that fails in the core has written nothing. A store that fails while the writes are handed to it keeps
// those before: give a branch of the chain's state, and drop it when a method fails. A core may be used by several
// goroutines, which wait for each other; a store that calls the core which called it gets UPG_BUG_ASSERT.
type Core struct {
	mutex    sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	live     *coreInstance
	isClosed bool
}

// CoreOptions say which core is hosted, and how.
type CoreOptions struct {
	// Wasm is another build of the core; nil: the one that this module carries.
	Wasm []byte
	// Interpreter runs it in wazero's interpreter also where its compiler works.
	Interpreter bool
}

// NewCore compiles the core. It fails with UPG_BUG_CORE_ABI when the bytes are not a core of this interface.
func NewCore(ctx context.Context, options CoreOptions) (core *Core, err error) {
	if ctx == nil {
		return nil, noContext()
	}
	config := wazero.NewRuntimeConfig()
	if options.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	wasm := options.Wasm
	if wasm == nil {
		wasm = coreWasm
	}
	made := &Core{runtime: wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(coreFeatures))}
	defer func() {
		if thrown := recover(); thrown != nil {
			err = coreMisfit("core.wasm cannot be compiled: %v", thrown)
		}
		if core == nil {
			_ = made.runtime.Close(ctx)
		}
	}()
	if err := offerCoreImports(ctx, made.runtime, func() *coreInstance { return made.live }); err != nil {
		return nil, coreMisfit("the imports of core.wasm cannot be offered: %v", err).because(err)
	}
	if made.compiled, err = made.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, coreMisfit("core.wasm is not a valid WebAssembly module: %v", err).because(err)
	}
	if made.live, err = newCoreInstance(ctx, made.runtime, made.compiled); err != nil {
		return nil, err
	}
	return made, nil
}

// Close gives up the compiled code, after the calls that are under way.
func (c *Core) Close(ctx context.Context) error {
	if err := c.lock(); err != nil {
		return err
	}
	defer c.mutex.Unlock()
	c.isClosed = true
	return c.runtime.Close(ctx)
}

// run does one operation. What it writes is handed to the store when all went well: neither a trap nor a store that fails
// in a read leaves anything. One that fails in a write keeps those before.
func (c *Core) run(store KVStore, operation func(core *coreInstance) error) (err error) {
	if err := c.lock(); err != nil {
		return err
	}
	defer c.mutex.Unlock()
	if c.isClosed {
		return newError(CodeInvalidArgument, "the core was closed before")
	}
	if c.live == nil || c.live.isPoisoned {
		if c.live, err = c.again(); err != nil {
			return err
		}
	}
	var branch *storeHandle
	var ground *overlayStore
	if store != nil {
		space := sorted.NewSpace(sorted.Limits{Memory: overlayMemory})
		defer func() { _ = space.Close() }()
		ground = &overlayStore{name: upgradeStore, base: store, writes: space.NewWrites()}
		branch = &storeHandle{ManifestStore: ManifestStore{Name: upgradeStore}, overlay: ground}
	}
	err = c.live.begin(ground)
	if err == nil {
		err = operation(c.live)
	}
	c.live.store = nil
	if err != nil || branch == nil || ground.writes.IsEmpty() {
		return err
	}
	return writeStore(branch)
}

// again replaces an instance that a trap left in an unknown state.
func (c *Core) again() (*coreInstance, error) {
	ctx := context.Background()
	if c.live != nil {
		_ = c.live.module.Close(ctx)
	}
	return newCoreInstance(ctx, c.runtime, c.compiled)
}

// inputs puts bytes and returns pointer and length of each.
func (c *coreInstance) inputs(each ...[]byte) ([]uint64, error) {
	var args []uint64
	for _, bytes := range each {
		at, err := c.put(bytes)
		if err != nil {
			return nil, err
		}
		args = append(args, uint64(at.pointer), uint64(at.length))
	}
	return args, nil
}

// transition calls an export with leading numbers and inputs; its result has no meaning beyond success.
func (c *Core) transition(store KVStore, name string, numbers []uint64, inputs ...[]byte) (result int64, err error) {
	err = c.run(store, func(core *coreInstance) error {
		args, err := core.inputs(inputs...)
		if err == nil {
			result, err = core.call(name, append(numbers, args...)...)
		}
		return err
	})
	return result, err
}

// bytesOf calls an export that returns bytes; nil for none.
func (c *Core) bytesOf(store KVStore, name string, numbers []uint64, inputs ...[]byte) (bytes []byte, err error) {
	err = c.run(store, func(core *coreInstance) error {
		args, err := core.inputs(inputs...)
		if err == nil {
			bytes, _, err = core.fetch(name, append(numbers, args...)...)
		}
		return err
	})
	return bytes, err
}
