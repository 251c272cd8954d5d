// Runs the cases of the cross-engine test on wazero: wazero-runner compiler|interpreter CASES.json
// or measures what a compilation takes: wazero-runner compiler|interpreter --compile MODULE.wasm
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

type step struct {
	Write *uint32  `json:"write"`
	Bytes string   `json:"bytes"`
	Call  string   `json:"call"`
	Args  []string `json:"args"`
}

type engineCase struct {
	Name  string `json:"name"`
	Wasm  string `json:"wasm"`
	Gas   string `json:"gas"`
	Steps []step `json:"steps"`
}

func main() {
	config := wazero.NewRuntimeConfigCompiler()
	if os.Args[1] == "interpreter" {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	if os.Args[2] == "--compile" {
		compileMemory(config, os.Args[3])
		return
	}
	text, err := os.ReadFile(os.Args[2])
	must(err)
	var cases []engineCase
	must(json.Unmarshal(text, &cases))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, each := range cases {
		runCase(out, config, each)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func runCase(out *bufio.Writer, config wazero.RuntimeConfig, each engineCase) {
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	defer runtime.Close(ctx)
	wasm, err := base64.StdEncoding.DecodeString(each.Wasm)
	must(err)
	compiled, err := runtime.CompileModule(ctx, wasm)
	must(err)
	offerImports(ctx, runtime, compiled)
	module, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	must(err)
	gas := module.ExportedGlobal("chain-upgrade:gas").(api.MutableGlobal)
	stack := module.ExportedGlobal("chain-upgrade:stack")
	start, err := strconv.ParseInt(each.Gas, 10, 64)
	must(err)
	gas.Set(uint64(start))
	for _, step := range each.Steps {
		if step.Write != nil {
			bytes, err := base64.StdEncoding.DecodeString(step.Bytes)
			must(err)
			if !module.Memory().Write(*step.Write, bytes) {
				panic("a write lies outside the memory")
			}
			continue
		}
		answer := call(ctx, module.ExportedFunction(step.Call), step.Args)
		fmt.Fprintf(out, "%s %s %s gas %d stack %d\n", each.Name, step.Call, answer, int64(gas.Get()), int32(stack.Get()))
		if answer == "trap" {
			break
		}
	}
	content, _ := module.Memory().Read(0, module.Memory().Size())
	fmt.Fprintf(out, "%s memory %d %d\n", each.Name, len(content), crc32.ChecksumIEEE(content))
}

// Every import answers 0.
func offerImports(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule) {
	builders := map[string]wazero.HostModuleBuilder{}
	for _, definition := range compiled.ImportedFunctions() {
		from, name, _ := definition.Import()
		if builders[from] == nil {
			builders[from] = runtime.NewHostModuleBuilder(from)
		}
		results := definition.ResultTypes()
		answer := api.GoFunc(func(_ context.Context, stack []uint64) {
			if len(results) > 0 {
				stack[0] = 0
			}
		})
		builders[from].NewFunctionBuilder().WithGoFunction(answer, definition.ParamTypes(), results).Export(name)
	}
	for _, builder := range builders {
		_, err := builder.Instantiate(ctx)
		must(err)
	}
}

func call(ctx context.Context, function api.Function, args []string) string {
	values := make([]uint64, len(args))
	for i, arg := range args {
		value, err := strconv.ParseInt(arg[4:], 10, 64)
		must(err)
		values[i] = uint64(value)
		if strings.HasPrefix(arg, "i32:") {
			values[i] = uint64(uint32(int32(value)))
		}
	}
	results, err := function.Call(ctx, values...)
	if err != nil {
		return "trap"
	}
	if len(results) == 0 {
		return "void"
	}
	if function.Definition().ResultTypes()[0] == api.ValueTypeI32 {
		return strconv.FormatInt(int64(int32(results[0])), 10)
	}
	return strconv.FormatInt(int64(results[0]), 10)
}
