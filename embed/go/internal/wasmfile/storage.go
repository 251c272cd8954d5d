package wasmfile

// Sections that make tables, globals and what they and the memory hold at the start.

const (
	tableElementsMax = 4_096
	elementsMax      = 1_000
	dataMax          = 4_096
	functionRef      = 0x70
)

func (m *Module) readTables(r *reader) {
	for count := r.count("tables", 1, Limit); count > 0 && r.problem == nil; count-- {
		at := r.at
		if kind := r.byte("the type of a table"); r.problem == nil && kind != functionRef {
			r.fail(Opcode, at, "a table of type 0x%x is not allowed; a table holds funcref", kind)
		}
		flags := r.byte("the limits of a table")
		if flags > hasMax {
			r.fail(Opcode, at, "a shared or 64-bit table is not allowed")
		}
		size := r.u32("the size of a table")
		m.tableSize = size
		if flags == hasMax {
			size = max(size, r.u32("the maximum of a table"))
		}
		if size > tableElementsMax {
			r.fail(Limit, at, "a table of %d elements, at most %d are allowed", size, tableElementsMax)
		}
	}
}

func (m *Module) readGlobals(r *reader) {
	count := r.count("globals", globalsMax+m.allowance(addedGlobals), Limit)
	for ; m.Globals < count && r.problem == nil; m.Globals++ {
		readValueType(r, "a global")
		if at := r.at; r.byte("the mutability of a global") > 1 {
			r.fail(Opcode, at, "a shared global is not allowed; build without threads")
		}
		readConstant(r, "a global")
	}
}

// readConstant: a constant and end, the value of an i32. Globals cannot be imported, so there is nothing else to name.
func readConstant(r *reader, what string) (value uint32) {
	at := r.at
	switch opcode := r.byte("a constant expression"); {
	case r.problem != nil:
	case opcode == opI32:
		value = r.signed(5, "i32.const")
	case opcode == opI64:
		r.signed(10, "i64.const")
	default:
		r.refuseConstant(at, opcode, what)
	}
	at = r.at
	if end := r.byte("the end of a constant expression"); r.problem == nil && end != opEnd {
		r.refuseConstant(at, end, what)
	}
	return value
}

func (r *reader) refuseConstant(at int, opcode byte, what string) {
	if opcodes[opcode] == unknown && opcode != opPrefix {
		r.fail(Format, at, "opcode 0x%x in the constant expression of %s", opcode, what)
		return
	}
	r.fail(Opcode, at, "opcode 0x%x in the constant expression of %s: only i32.const or i64.const is allowed", opcode, what)
}

// readElements: only active segments of plain function indices.
func (m *Module) readElements(r *reader) {
	for count := r.count("element segments", elementsMax, Limit); count > 0 && r.problem == nil; count-- {
		at := r.at
		flags := r.u32("the flags of an element segment")
		isOfTable := flags == 2
		switch {
		case r.problem != nil:
		case flags > 7:
			r.fail(Format, at, "0x%x are not the flags of an element segment", flags)
		case flags != 0 && !isOfTable, isOfTable && r.u32("the table of an element segment") != 0:
			r.fail(Opcode, at, "element segments other than plain function indices of table 0 are not allowed")
		}
		offset := uint64(readConstant(r, "an element segment"))
		if isOfTable && r.byte("the kind of elements") != 0 {
			r.fail(Format, at, "unknown kind of elements")
		}
		length := r.count("elements of a segment", tableElementsMax, Limit)
		for i := uint32(0); i < length && r.problem == nil; i++ {
			r.u32("a function in an element segment")
		}
		if end := offset + uint64(length); end > uint64(m.tableSize) {
			r.fail(Limit, at, "elements %d to %d lie outside the table of %d", offset, end, m.tableSize)
		}
	}
}

func (m *Module) readData(r *reader) {
	for count := r.count("data segments", dataMax, Limit); count > 0 && r.problem == nil; count-- {
		at := r.at
		flags := r.u32("the flags of a data segment")
		switch {
		case r.problem != nil:
		case flags > 2:
			r.fail(Format, at, "0x%x are not the flags of a data segment", flags)
		case flags == 2 && r.u32("the memory of a data segment") != 0:
			r.fail(Memory, at, "a data segment of a second memory is not allowed")
		}
		offset := uint64(0)
		if flags != 1 {
			offset = uint64(readConstant(r, "a data segment"))
		}
		length := r.u32("the length of a data segment")
		r.take(length, "a data segment")
		if end := offset + uint64(length); flags != 1 && end > m.memoryBytes() {
			r.fail(Memory, at, "data for bytes %d to %d lies outside the initial memory of %d bytes", offset, end, m.memoryBytes())
		}
	}
}

const pageBytes = 65_536

func (m *Module) memoryBytes() uint64 {
	if len(m.Memories) == 0 {
		return 0
	}
	return uint64(m.Memories[0].Min) * pageBytes
}
