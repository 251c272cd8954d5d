package wasmfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
)

const (
	typesMax       = 2_000
	paramsTotalMax = 10_000
	paramsMax      = 32
	importsMax     = 16
	functionsMax   = 20_000
	exportsMax     = 1_000
	globalsMax     = 1_000
)

var valueTypes = map[byte]string{0x7f: "i32", 0x7e: "i64"}

func (m *Module) read(id byte, r *reader) {
	switch id {
	case Type:
		m.readTypes(r)
	case importID:
		m.readImports(r)
	case functionID:
		for count := r.count("functions", functionsMax+m.allowance(1), Limit); count > 0 && r.problem == nil; count-- {
			m.Functions = append(m.Functions, m.typeIndex(r))
		}
	case memoryID:
		for count := r.count("memories", 1, Memory); count > 0 && r.problem == nil; count-- {
			m.Memories = append(m.Memories, readMemory(r))
		}
	case tableID:
		m.readTables(r)
	case globalID:
		m.readGlobals(r)
	case elementID:
		m.readElements(r)
	case dataCountID:
		r.count("data segments", dataMax, Limit)
	case dataID:
		m.readData(r)
	case exportID:
		m.readExports(r)
	case startID:
		what := "a start section is not allowed, it would run before gas is counted"
		r.fail(Opcode, r.at, "%s; export the function as _initialize instead", what)
	case tagID:
		r.fail(Opcode, r.at, "tags are not allowed; build without exception handling")
	case codeID:
		m.readCode(r)
	}
}

func (m *Module) readTypes(r *reader) {
	total := 0
	for count := r.count("types", typesMax, Limit); count > 0 && r.problem == nil; count-- {
		readForm(r)
		params := readValueTypes(r, "parameters")
		results := readValueTypes(r, "results")
		if len(results) > 1 {
			r.fail(Opcode, r.at, "a type gives %d values, at most 1 is allowed; build without the multi-value feature", len(results))
		}
		if total += len(params); total > paramsTotalMax {
			r.fail(Limit, r.at, "the types have more than %d parameters together", paramsTotalMax)
		}
		m.Types = append(m.Types, signature(params, results))
		m.params = append(m.params, len(params))
	}
}

// Forms of the garbage-collection extension: sub, sub final, rec, array, struct.
var gcForms = []byte{0x50, 0x4f, 0x4e, 0x5e, 0x5f}

func readForm(r *reader) {
	at := r.at
	switch form := r.byte("the form of a type"); {
	case slices.Contains(gcForms, form):
		r.fail(Opcode, at, "only function types are allowed; build without the gc feature")
	case form != 0x60:
		r.fail(Format, at, "0x%x is not the form of a type", form)
	}
}

func readValueTypes(r *reader, what string) []string {
	var types []string
	for count := r.count(what+" of a type", paramsMax, Limit); count > 0 && r.problem == nil; count-- {
		types = append(types, readValueType(r, what+" of a type"))
	}
	return types
}

func readValueType(r *reader, what string) string {
	at := r.at
	code := r.byte("a type")
	name, ok := valueTypes[code]
	if !ok {
		r.fail(Opcode, at, "%s: %s", what, typeAdvice(code))
	}
	return name
}

func typeAdvice(code byte) string {
	if float := map[byte]string{0x7d: "f32", 0x7c: "f64"}[code]; float != "" {
		return float + ": floating point is not allowed, its NaNs differ between engines; use integers or fixed point"
	}
	return fmt.Sprintf("0x%02x: only i32 and i64 are allowed; build without the reference-types and gc features", code)
}

func signature(params, results []string) string {
	result := "()"
	if len(results) == 1 {
		result = results[0]
	}
	return "(" + strings.Join(params, ", ") + ") -> " + result
}

func (m *Module) typeIndex(r *reader) uint32 {
	at := r.at
	index := r.u32("the index of a type")
	if r.problem == nil && int(index) >= len(m.Types) {
		r.fail(Format, at, "there is no type %d", index)
	}
	return index
}

func (m *Module) readImports(r *reader) {
	for count := r.count("imports", importsMax, Limit); count > 0 && r.problem == nil; count-- {
		offset := r.at
		from, name := r.name("an import's module"), r.name("an import's name")
		switch kind := r.byte("the kind of an import"); {
		case r.problem != nil:
		case kind == FunctionKind:
			m.Imports = append(m.Imports, Import{from, name, m.typeIndex(r), offset})
		case kind == MemoryKind:
			r.fail(Memory, offset, "the memory is imported; define it and export it as memory")
		default:
			r.fail(ImportKind, offset, "only functions can be imported")
		}
	}
}

const (
	hasMax = 1
	shared = 2
)

func readMemory(r *reader) MemoryType {
	at := r.at
	flags := r.byte("the limits of a memory")
	if flags >= shared {
		r.fail(Memory, at, "a shared or 64-bit memory is not allowed")
	}
	memory := MemoryType{Min: r.u32("the size of a memory"), Max: -1}
	if flags&hasMax != 0 {
		memory.Max = int64(r.u32("the maximum of a memory"))
	}
	return memory
}

func (m *Module) readExports(r *reader) {
	seen := map[string]bool{}
	for count := r.count("exports", exportsMax+m.allowance(uint32(len(CounterExports))), Limit); count > 0 && r.problem == nil; count-- {
		offset := r.at
		name := r.name("an export's name")
		if seen[name] {
			r.fail(Format, offset, "two exports are named %s", guesttext.Quote(name))
		}
		seen[name] = true
		kind := r.byte("the kind of an export")
		index := r.u32("an export's index")
		if kind == FunctionKind && r.problem == nil && int(index) >= len(m.Imports)+len(m.Functions) {
			r.fail(Format, offset, "an export has the index of a function that is absent")
		}
		m.Exports = append(m.Exports, Export{name, kind, index, offset})
	}
}

// Export returns the export of a name.
func (m *Module) Export(name string) (Export, bool) {
	for _, each := range m.Exports {
		if each.Name == name {
			return each, true
		}
	}
	return Export{}, false
}

// Signature of a function by its index, imports first.
func (m *Module) Signature(index uint32) string {
	if int(index) < len(m.Imports) {
		return m.Types[m.Imports[index].Type]
	}
	return m.Types[m.Functions[int(index)-len(m.Imports)]]
}
