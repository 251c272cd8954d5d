// The guest's part of a handler alone, for `npm run bench -- embed-go`, which runs the same in V8 by turns:
//
//	bench METERED.wasm FRAMES
//
// For each line on stdin it gives the frames to handler_batch 25 times, and prints the nanoseconds, the sum of what the
// calls returned and the gas. Imports return 0.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const (
	batchesARound = 25
	inputBytes    = 65_536
	outputBytes   = 262_144
	gasOfARound   = 1 << 60
)

func main() {
	ctx := context.Background()
	wasm, err := os.ReadFile(os.Args[1])
	must(err)
	frames, err := os.ReadFile(os.Args[2])
	must(err)
	module := instance(ctx, wasm)
	gas := module.ExportedGlobal("chain-upgrade:gas").(api.MutableGlobal)
	gas.Set(gasOfARound)
	if start := module.ExportedFunction("_initialize"); start != nil {
		call(ctx, start)
	}
	input := uint32(call(ctx, module.ExportedFunction("handler_in"), inputBytes))
	call(ctx, module.ExportedFunction("handler_out"), outputBytes)
	batch := module.ExportedFunction("handler_batch")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		gas.Set(gasOfARound)
		started := time.Now()
		sum := uint64(0)
		for range batchesARound {
			if !module.Memory().Write(input, frames) {
				log.Fatal("the buffer lies outside the memory")
			}
			sum += call(ctx, batch, 0, uint64(len(frames)), 0)
		}
		elapsed := time.Since(started)
		fmt.Println(elapsed.Nanoseconds(), sum, gasOfARound-gas.Get())
	}
}

func instance(ctx context.Context, wasm []byte) api.Module {
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(512))
	compiled, err := runtime.CompileModule(ctx, wasm)
	must(err)
	builders := map[string]wazero.HostModuleBuilder{}
	for _, each := range compiled.ImportedFunctions() {
		from, name, _ := each.Import()
		if builders[from] == nil {
			builders[from] = runtime.NewHostModuleBuilder(from)
		}
		returnsNothing := api.GoFunc(func(_ context.Context, stack []uint64) {
			if len(each.ResultTypes()) > 0 {
				stack[0] = 0
			}
		})
		builders[from].NewFunctionBuilder().WithGoFunction(returnsNothing, each.ParamTypes(), each.ResultTypes()).Export(name)
	}
	for _, builder := range builders {
		_, err := builder.Instantiate(ctx)
		must(err)
	}
	module, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	must(err)
	return module
}

func call(ctx context.Context, function api.Function, args ...uint64) uint64 {
	results, err := function.Call(ctx, args...)
	must(err)
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
