package wasmfile

import "bytes"

// Ids of sections.
const (
	Custom      = 0
	Type        = 1
	importID    = 2
	functionID  = 3
	tableID     = 4
	memoryID    = 5
	globalID    = 6
	exportID    = 7
	startID     = 8
	elementID   = 9
	codeID      = 10
	dataID      = 11
	dataCountID = 12
	tagID       = 13
)

// Sections are in this order, each at most once; custom ones anywhere.
var order = []byte{
	Type, importID, functionID, tableID, memoryID, tagID, globalID, exportID, startID, elementID, dataCountID, codeID,
	dataID,
}

const customSectionsMax = 64

// Section is one as it is in the file.
type Section struct {
	ID byte
	// Start is its first byte in the file, End the first after it.
	Start, End int
	Content    []byte
}

// CustomSection is a section that engines ignore.
type CustomSection struct {
	Name    string
	Payload []byte
	// Start and End of the whole section in the file.
	Start, End int
}

// Module is what the outside of a module sees.
type Module struct {
	Sections  []Section
	Customs   []CustomSection
	Types     []string
	Imports   []Import
	Functions []uint32
	Memories  []MemoryType
	// Globals that are declared; their content is the engine's.
	Globals uint32
	Exports []Export
	// Bodies of functions.
	Bodies uint32
	// params of each type, costs of each body.
	params    []int
	costs     []bodyCost
	tableSize uint32
	isMetered bool
}

// Import of a function.
type Import struct {
	Module, Name string
	Type         uint32
	Offset       int
}

// MemoryType in pages; Max is below 0 when there is none.
type MemoryType struct {
	Min uint32
	Max int64
}

// Export of anything.
type Export struct {
	Name   string
	Kind   byte
	Index  uint32
	Offset int
}

// Kinds of exports.
const (
	FunctionKind = 0
	MemoryKind   = 2
	GlobalKind   = 3
)

// Parse reads a module. The error is a *Problem. A module that it returns is safe to give to an engine: the lengths of its
// lists, for which engines make room before they read them, are bounded.
func Parse(file []byte) (*Module, error) { return parsed(file, false) }

// ParseMetered is Parse for what the meter made, which may have a little more of some things.
func ParseMetered(file []byte) (*Module, error) { return parsed(file, true) }

func parsed(file []byte, isMetered bool) (*Module, error) {
	module, problem := parse(file, isMetered)
	if problem != nil {
		return nil, problem
	}
	return module, nil
}

func parse(file []byte, isMetered bool) (*Module, *Problem) {
	if len(file) < 4 || !bytes.Equal(file[:4], []byte("\x00asm")) {
		return nil, &Problem{Format, 0, `not a WebAssembly file: it does not begin with \0asm`}
	}
	if len(file) < 8 || !bytes.Equal(file[4:8], []byte{1, 0, 0, 0}) {
		what := "not a core WebAssembly module of version 1 (a component cannot be a handler)"
		return nil, &Problem{Format, 4, what}
	}
	module := &Module{isMetered: isMetered}
	if problem := module.frame(file); problem != nil {
		return nil, problem
	}
	for _, section := range module.Sections {
		r := &reader{bytes: file, at: section.End - len(section.Content), end: section.End}
		module.read(section.ID, r)
		if r.problem == nil && r.at < r.end {
			r.fail(Format, r.at, "section %d goes on after its content", section.ID)
		}
		if r.problem != nil {
			return nil, r.problem
		}
	}
	if int(module.Bodies) != len(module.Functions) {
		return nil, &Problem{Format, 0, "the numbers of functions and of function bodies differ"}
	}
	return module, nil
}

// frame lists the sections.
func (m *Module) frame(file []byte) *Problem {
	r := &reader{bytes: file, at: 8, end: len(file)}
	last := -1
	for !r.done() {
		start := r.at
		id := r.byte("a section")
		size := r.u32("the size of a section")
		section := Section{ID: id, Start: start, Content: r.take(size, "a section"), End: r.at}
		if r.problem != nil {
			break
		}
		if id == Custom {
			m.custom(file, section, r)
			continue
		}
		place := bytes.IndexByte(order, id)
		switch {
		case place < 0:
			r.fail(Format, start, "unknown section %d", id)
		case place <= last:
			r.fail(Format, start, "section %d occurs twice or in the wrong order", id)
		}
		last = place
		m.Sections = append(m.Sections, section)
	}
	return r.problem
}

func (m *Module) custom(file []byte, section Section, outer *reader) {
	if len(m.Customs) == customSectionsMax {
		outer.fail(Limit, section.Start, "more than %d custom sections", customSectionsMax)
		return
	}
	r := &reader{bytes: file, at: section.End - len(section.Content), end: section.End}
	name := r.name("the name of a custom section")
	if r.problem != nil {
		outer.problem = r.problem
		return
	}
	m.Customs = append(m.Customs, CustomSection{name, file[r.at:section.End], section.Start, section.End})
}

// Section returns the content of a section that is not custom, nil when it is absent.
func (m *Module) Section(id byte) []byte {
	for _, section := range m.Sections {
		if section.ID == id {
			return section.Content
		}
	}
	return nil
}

// WithoutCustoms is the module without its custom sections.
func (m *Module) WithoutCustoms(file []byte) []byte {
	out := bytes.Clone(file[:8])
	for _, section := range m.Sections {
		out = append(out, file[section.Start:section.End]...)
	}
	return out
}
