package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/tetratelabs/wazero"
)

// Compiles one module and prints by how many KiB the process's greatest memory grew.
func compileMemory(config wazero.RuntimeConfig, file string) {
	wasm, err := os.ReadFile(file)
	must(err)
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	before := peakMemory()
	_, err = runtime.CompileModule(ctx, wasm)
	must(err)
	fmt.Println(peakMemory() - before)
}

// VmHWM of /proc/self/status, in KiB.
func peakMemory() int {
	file, err := os.Open("/proc/self/status")
	must(err)
	defer file.Close()
	kib := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "VmHWM:") {
			_, err = fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib)
			must(err)
		}
	}
	return kib
}
