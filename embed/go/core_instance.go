package upgrade

import (
	"context"
	_ "embed"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed core.wasm
var coreWasm []byte

const (
	coreABIMajor = 1
	coreTrap     = 141
)

// coreInstance is the only code that touches the memory of core.wasm: it moves bytes in and out, and turns a result below
// 0 into an error. A trap poisons it: it is dropped, and the next operation gets a fresh one.
type coreInstance struct {
	module    api.Module
	memory    api.Memory
	functions map[string]api.Function
	// store of the operation under way; nil in pure calls.
	store *overlayStore
	// failure is why an import ended the core.
	failure     error
	isPoisoned  bool
	scratch     uint32
	scratchCap  uint32
	scratchUsed uint32
}

// span is where a call's input bytes are.
type span struct{ pointer, length uint32 }

func coreMisfit(format string, args ...any) *Error { return newError(CodeBugCoreABI, format, args...) }

func newCoreInstance(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule) (*coreInstance, error) {
	module, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, coreMisfit("core.wasm cannot be instantiated: %v", err).because(err)
	}
	c := &coreInstance{module: module, memory: module.Memory(), functions: map[string]api.Function{}}
	if c.memory == nil {
		return nil, coreMisfit("core.wasm has no memory")
	}
	if module.ExportedFunction("_initialize") != nil {
		if _, err := c.invoke("_initialize"); err != nil {
			return nil, err
		}
	}
	abi, err := c.invoke("core_abi")
	if err == nil && abi>>16 != coreABIMajor {
		err = coreMisfit("core.wasm speaks interface %d, this host %d", abi>>16, coreABIMajor)
	}
	if err != nil {
		return nil, err
	}
	scratch, err := c.invoke("core_scratch")
	if err != nil {
		return nil, err
	}
	cap, err := c.invoke("core_scratch_cap")
	c.scratch, c.scratchCap = uint32(scratch), uint32(cap)
	return c, err
}

// begin prepares one operation on a store.
func (c *coreInstance) begin(store *overlayStore) error {
	c.store, c.scratchUsed = store, 0
	_, err := c.invoke("core_reset")
	return err
}

// put writes input bytes where the core can read them.
func (c *coreInstance) put(bytes []byte) (span, error) {
	pointer, err := c.room(len(bytes))
	if err != nil {
		return span{}, err
	}
	if !c.memory.Write(pointer, bytes) {
		return span{}, coreMisfit("core.wasm gave room outside its memory")
	}
	return span{pointer, uint32(len(bytes))}, nil
}

func (c *coreInstance) room(length int) (uint32, error) {
	if int64(c.scratchUsed)+int64(length) <= int64(c.scratchCap) {
		pointer := c.scratch + c.scratchUsed
		c.scratchUsed += (uint32(length) + 15) &^ 15
		return pointer, nil
	}
	pointer := int64(0)
	if length <= 1<<30 {
		var err error
		if pointer, err = c.invoke("core_alloc", uint64(uint32(length))); err != nil {
			return 0, err
		}
	}
	if pointer == 0 {
		return 0, newError(CodeInvalidArgument, "core.wasm has no room for %d more bytes", length)
	}
	return uint32(pointer), nil
}

// call calls an export. It fails for a result below 0, except -ABSENT.
func (c *coreInstance) call(name string, args ...uint64) (int64, error) {
	result, err := c.invoke(name, args...)
	if err == nil && result < -absent {
		err = c.failureOf(uint32(-result))
	}
	return result, err
}

// fetch calls an export whose last two parameters are out and cap; not ok for -ABSENT.
func (c *coreInstance) fetch(name string, args ...uint64) (bytes []byte, ok bool, err error) {
	// What the inputs left of the scratch area is nearly always enough, and asking twice would read the store twice.
	cap := int64(c.scratchCap) - int64(min(c.scratchUsed, c.scratchCap))
	for {
		out, err := c.room(int(cap))
		if err != nil {
			return nil, false, err
		}
		size, err := c.call(name, append(args[:len(args):len(args)], uint64(out), uint64(cap))...)
		if err != nil || size < 0 {
			return nil, false, err
		}
		if size > cap {
			cap = size
			continue
		}
		view, ok := c.memory.Read(out, uint32(size))
		if !ok {
			return nil, false, coreMisfit("core.wasm wrote outside its memory")
		}
		return append([]byte{}, view...), true, nil
	}
}

func (c *coreInstance) invoke(name string, args ...uint64) (int64, error) {
	function, ok := c.functions[name]
	if !ok {
		function = c.module.ExportedFunction(name)
		if function == nil {
			return 0, coreMisfit("core.wasm has no function %s", name)
		}
		c.functions[name] = function
	}
	definition := function.Definition()
	if len(definition.ParamTypes()) != len(args) {
		return 0, coreMisfit("%s of core.wasm takes %d parameters, this host gives %d", name, len(definition.ParamTypes()), len(args))
	}
	c.failure = nil
	results, err := function.Call(context.Background(), args...)
	if err != nil {
		c.isPoisoned = true
		return 0, c.trapIn(name, err)
	}
	if len(results) == 0 {
		return 0, nil
	}
	if definition.ResultTypes()[0] == api.ValueTypeI32 {
		return int64(int32(results[0])), nil
	}
	return int64(results[0]), nil
}

// trapIn: what the host's own store failed with is returned as it is; anything else is a trap of the core.
func (c *coreInstance) trapIn(name string, cause error) error {
	if c.failure != nil {
		return c.failure
	}
	message, ok := c.message(coreTrap)
	if !ok {
		message = cause.Error()
	}
	return newError(CodeBugCoreTrap, "core.wasm trapped in %s: %s", name, message).because(cause)
}

func (c *coreInstance) failureOf(number uint32) error {
	code, ok := coreCodes[number]
	if !ok {
		return coreMisfit("core.wasm returned the unknown code %d", number)
	}
	message, ok := c.message(number)
	if !ok {
		message = "core.wasm returned " + string(code) + " without a message"
	}
	return newError(code, "%s", message)
}

// message is the record of the last failure; not ok when it is of another one, left by an earlier call.
func (c *coreInstance) message(number uint32) (string, bool) {
	results, err := c.module.ExportedFunction("core_err").Call(context.Background())
	if err != nil || len(results) != 1 {
		return "", false
	}
	record := uint32(results[0])
	header, ok := c.memory.Read(record, 8)
	if !ok || binary.LittleEndian.Uint32(header) != number {
		return "", false
	}
	text, ok := c.memory.Read(record+8, binary.LittleEndian.Uint32(header[4:]))
	return string(text), ok
}
