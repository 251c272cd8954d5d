package upgrade

import (
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
)

// The handler interface, version 1 (docs/abi.md): what a module must export, each by name and type. What it may import
// is the table of imports.go.

type interfaceExport struct {
	name, signature string
	required        bool
}

var interfaceExports = []interfaceExport{
	{"handler_abi_1", "() -> ()", true},
	{"handler_in", "(i32) -> i32", true},
	{"handler_out", "(i32) -> i32", true},
	{"handler_run", "(i32) -> i32", true},
	{"handler_batch", "(i32, i32, i32) -> i32", false},
	{"handler_check", "(i32) -> i32", false},
	{"handler_err", "() -> i32", false},
	{"_initialize", "() -> ()", false},
}

const reservedExportPrefix = "chain-upgrade:"

func checkInterface(module *wasmfile.Module, manifest *Manifest) error {
	if err := checkImports(module); err != nil {
		return err
	}
	if err := checkMemory(module); err != nil {
		return err
	}
	for _, due := range interfaceExports {
		if err := checkExport(module, manifest, due); err != nil {
			return err
		}
	}
	for _, each := range module.Exports {
		if strings.HasPrefix(each.Name, reservedExportPrefix) {
			return exportError(each.Offset, "export %s: names that begin with %s are the host's; "+exportAdvice,
				guesttext.Quote(each.Name), reservedExportPrefix)
		}
	}
	return nil
}

func checkImports(module *wasmfile.Module) error {
	for _, each := range module.Imports {
		name := each.Module + "." + each.Name
		offered, ok := offeredImport(each.Module, each.Name)
		if !ok {
			return newError(CodeHandlerImport, "at byte %d: import %s is not offered; %s", each.Offset, guesttext.Quote(name), importAdvice(each))
		}
		if got := module.Types[each.Type]; got != offered.signature() {
			return newError(CodeHandlerImport, "at byte %d: import %s has type %s, it is offered as %s; declare it as docs/abi.md has it",
				each.Offset, name, got, offered.signature())
		}
	}
	return nil
}

func importAdvice(each wasmfile.Import) string {
	switch {
	case strings.HasPrefix(each.Module, "wasi"):
		return "build for a freestanding target (wasm32-unknown-unknown), not for WASI"
	case each.Module == abortModule && each.Name == "seed":
		return "random numbers differ between nodes: do without Math.random"
	case each.Module == abortModule:
		return "a handler has no clock, console or other environment: do without it"
	case strings.HasPrefix(each.Module, "__wbindgen") || each.Module == "wbg":
		return "build without wasm-bindgen"
	}
	names := make([]string, len(offeredImports))
	for i := range offeredImports {
		names[i] = offeredImports[i].module + "." + offeredImports[i].name
	}
	return "a handler may import " + strings.Join(names, ", ")
}

func checkMemory(module *wasmfile.Module) error {
	if len(module.Memories) == 0 {
		return newError(CodeHandlerMemory, "the module has no memory; define one and export it as memory")
	}
	if initial := module.Memories[0].Min; initial > memoryInitialPagesMax {
		return newError(CodeHandlerMemory, "the memory begins with %d pages, at most %d are allowed; begin with less and grow",
			initial, memoryInitialPagesMax)
	}
	entry, ok := module.Export("memory")
	if !ok {
		return newError(CodeHandlerExport, "the module does not export its memory as memory")
	}
	if entry.Kind != wasmfile.MemoryKind {
		return exportError(entry.Offset, "export memory must be the memory; "+exportAdvice)
	}
	return nil
}

func checkExport(module *wasmfile.Module, manifest *Manifest, due interfaceExport) error {
	entry, ok := module.Export(due.name)
	if !ok {
		isForScans := due.name == "handler_batch" && len(manifest.Scans) > 0
		if !due.required && !isForScans {
			return nil
		}
		why := ""
		if isForScans {
			why = ", since the manifest lists scans"
		}
		return newError(CodeHandlerExport, "the module does not export %s %s%s; "+exportAdvice, due.name, due.signature, why)
	}
	if entry.Kind != wasmfile.FunctionKind {
		return exportError(entry.Offset, "export %s must be a function %s; "+exportAdvice, due.name, due.signature)
	}
	if int(entry.Index) < len(module.Imports) {
		return exportError(entry.Offset, "export %s is an import handed on; it must be the module's own", due.name)
	}
	if got := module.Signature(entry.Index); got != due.signature {
		return exportError(entry.Offset, "export %s has type %s, it must be %s; "+exportAdvice, due.name, got, due.signature)
	}
	return nil
}

const exportAdvice = "export it by the name and type that docs/abi.md has"

func exportError(offset int, format string, args ...any) error {
	return newError(CodeHandlerExport, "at byte %d: "+format, append([]any{offset}, args...)...)
}
