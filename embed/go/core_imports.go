package upgrade

import (
	"bytes"
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The four functions of module kv: the upgrade module's own store, and nothing else.
var coreImports = []struct {
	name   string
	params int
	result bool
	call   func(*coreInstance, []uint64) error
}{
	{"get", 4, true, (*coreInstance).kvGet},
	{"set", 4, false, (*coreInstance).kvSet},
	{"delete", 2, false, (*coreInstance).kvDelete},
	{"seek", 6, true, (*coreInstance).kvSeek},
}

// offer makes the imports, which find the instance that is called in live.
func offerCoreImports(ctx context.Context, runtime wazero.Runtime, live func() *coreInstance) error {
	builder := runtime.NewHostModuleBuilder("kv")
	for _, each := range coreImports {
		var params, results []api.ValueType
		for range each.params {
			params = append(params, api.ValueTypeI32)
		}
		if each.result {
			results = []api.ValueType{api.ValueTypeI32}
		}
		function := api.GoFunc(func(_ context.Context, stack []uint64) {
			c := live()
			if err := each.call(c, stack); err != nil {
				c.failure = err
				panic(stopGuest{})
			}
		})
		builder.NewFunctionBuilder().WithGoFunction(function, params, results).Export(each.name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func (c *coreInstance) ground() (*overlayStore, error) {
	if c.store == nil {
		return nil, coreMisfit("a pure call of core.wasm reached for the store")
	}
	return c.store, nil
}

// read is a copy: a store may keep what it is given.
func (c *coreInstance) read(pointer, length uint64) ([]byte, error) {
	view, ok := c.memory.Read(uint32(pointer), uint32(length))
	if !ok {
		return nil, coreMisfit("core.wasm named bytes outside its memory")
	}
	return bytes.Clone(view), nil
}

func (c *coreInstance) kvGet(stack []uint64) error {
	store, err := c.ground()
	if err != nil {
		return err
	}
	key, err := c.read(stack[0], stack[1])
	if err != nil {
		return err
	}
	value, ok, err := store.get(key)
	if err != nil {
		return err
	}
	return c.give(stack, value, ok, stack[2], stack[3])
}

// give returns a value to the core: it is written only when it fits.
func (c *coreInstance) give(stack []uint64, value []byte, ok bool, out, cap uint64) error {
	if !ok {
		stack[0] = negative(absent)
		return nil
	}
	stack[0] = uint64(uint32(len(value)))
	if len(value) <= int(uint32(cap)) && !c.memory.Write(uint32(out), value) {
		return coreMisfit("core.wasm named room outside its memory")
	}
	return nil
}

func (c *coreInstance) kvSet(stack []uint64) error {
	store, err := c.ground()
	if err != nil {
		return err
	}
	key, err := c.read(stack[0], stack[1])
	if err != nil {
		return err
	}
	value, err := c.read(stack[2], stack[3])
	if err != nil {
		return err
	}
	return store.put(key, value)
}

func (c *coreInstance) kvDelete(stack []uint64) error {
	store, err := c.ground()
	if err != nil {
		return err
	}
	key, err := c.read(stack[0], stack[1])
	if err != nil {
		return err
	}
	return store.delete(key)
}

// kvSeek returns the first pair with start <= key < end, framed.
func (c *coreInstance) kvSeek(stack []uint64) (err error) {
	store, err := c.ground()
	if err != nil {
		return err
	}
	start, err := c.read(stack[0], stack[1])
	if err != nil {
		return err
	}
	end, err := c.read(stack[2], stack[3])
	if err != nil {
		return err
	}
	frame, ok, err := store.first(start, end)
	if err != nil {
		return err
	}
	return c.give(stack, frame, ok, stack[4], stack[5])
}

// first is the first pair of a range, framed.
func (o *overlayStore) first(start, end []byte) (frame []byte, ok bool, err error) {
	scan, err := o.scan(start, end)
	if err != nil {
		return nil, false, err
	}
	defer scan.closeInto(&err)
	if ok, err = scan.peek(); err != nil || !ok {
		return nil, false, err
	}
	return appendFrame(nil, scan.key, scan.value), true, nil
}
