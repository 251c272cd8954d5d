package upgrade

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// What a guest may import (docs/abi.md). Arguments are i32, read unsigned; each is checked before it is used, and
// everything is paid for (docs/gas.md) before it is done.

const (
	chainModule = "chain"
	abortModule = "env"
)

type offeredFunction struct {
	module, name string
	params       string
	result       bool
	call         func(*session, []uint64) error
}

// A letter of params is an i32, "I" an i64.
var offeredImports = []offeredFunction{
	{chainModule, "store_get", "iiiii", true, (*session).storeGet},
	{chainModule, "store_set", "iiiii", true, (*session).storeSet},
	{chainModule, "store_delete", "iii", true, (*session).storeDelete},
	{chainModule, "store_write", "ii", true, (*session).storeWrite},
	{chainModule, "store_scan", "iiiiiii", true, (*session).storeScan},
	{chainModule, "log", "iii", false, (*session).log},
	{chainModule, "progress", "II", false, (*session).progress},
	{chainModule, "fail", "iii", false, (*session).fail},
	{abortModule, "abort", "iiii", false, (*session).abort},
}

func (f offeredFunction) types() (params, results []api.ValueType) {
	for _, letter := range f.params {
		params = append(params, map[rune]api.ValueType{'i': api.ValueTypeI32, 'I': api.ValueTypeI64}[letter])
	}
	if f.result {
		results = []api.ValueType{api.ValueTypeI32}
	}
	return params, results
}

// stopGuest is what an import panics with to end the guest; the session keeps why.
type stopGuest struct{}

func offerImports(ctx context.Context, runtime wazero.Runtime) error {
	for _, module := range []string{chainModule, abortModule} {
		builder := runtime.NewHostModuleBuilder(module)
		for _, each := range offeredImports {
			if each.module != module {
				continue
			}
			params, results := each.types()
			builder.NewFunctionBuilder().WithGoFunction(hostFunction(each.call), params, results).Export(each.name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hostFunction finds the run that calls by its context: one compiled handler serves many runs.
func hostFunction(call func(*session, []uint64) error) api.GoFunc {
	return func(ctx context.Context, stack []uint64) {
		run := ctx.Value(sessionKey{}).(*session)
		if err := run.guarded(call, stack); err != nil {
			run.failure = err
			panic(stopGuest{})
		}
	}
}

// guarded makes an error of what a store or a callback of the caller panics with.
func (s *session) guarded(call func(*session, []uint64) error, stack []uint64) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = panicError("an import", thrown)
		}
	}()
	if err := s.ctx.Err(); err != nil {
		return cancelled(err)
	}
	return call(s, stack)
}

func panicError(where string, thrown any) error {
	cause := thrownError(thrown)
	return newError(CodeBugAssert, "%s panicked: %v (this is a bug of the host, please report it)", where, cause).because(cause)
}
