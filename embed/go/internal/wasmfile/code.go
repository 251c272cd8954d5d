package wasmfile

// The code section: what an engine makes room for, and which instructions there are. Whether their operands fit is the
// engine's to say.

const (
	bodyBytesMax    = 65_536
	localsMax       = 256
	localsTotalMax  = 50_000
	nestingMax      = 256
	tableLabelsMax  = 1_024
	meteredBytesMax = 1 << 20
	// What the meter may put into a function, at most.
	meterLocals  = 2
	meterNesting = 3
)

func (m *Module) readCode(r *reader) {
	m.Bodies = r.count("function bodies", functionsMax+m.allowance(1), Limit)
	locals, branches := uint32(0), 0
	for i := uint32(0); i < m.Bodies && r.problem == nil; i++ {
		at := r.at
		size := r.u32("the size of a function body")
		bytesMax := uint32(bodyBytesMax)
		if m.isMetered {
			bytesMax = meteredBytesMax
		}
		if size > bytesMax {
			r.fail(Limit, at, "the body has %d bytes, at most %d are allowed; split the function", size, bytesMax)
		}
		start := r.at
		r.take(size, "a function body")
		body := &reader{bytes: r.bytes, at: start, end: r.at, problem: r.problem}
		own := m.readLocals(body)
		locals += own
		if total := localsTotalMax + m.allowance(meterLocals)*m.Bodies; locals > total {
			body.fail(Limit, at, "more than %d locals in all functions together", total)
		}
		cost := bodyCost{size: int(size), locals: int(own), variables: m.paramsOf(i) + int(own)}
		m.readInstructions(body, &cost)
		if branches += cost.branches; !m.isMetered {
			cost.require(body, at)
			if branches > branchesTotalMax {
				body.fail(Limit, at, "more than %d branches in all functions together", branchesTotalMax)
			}
		}
		m.costs = append(m.costs, cost)
		r.problem = body.problem
	}
}

// paramsOf a function that is declared; its type was looked at before.
func (m *Module) paramsOf(function uint32) int {
	if int(function) >= len(m.Functions) {
		return 0
	}
	return m.params[m.Functions[function]]
}

// allowance is what a metered module may have more.
func (m *Module) allowance(more uint32) uint32 {
	if m.isMetered {
		return more
	}
	return 0
}

func (m *Module) readLocals(r *reader) uint32 {
	locals := uint64(0)
	for groups := r.u32("the number of local declarations"); groups > 0 && r.problem == nil; groups-- {
		at := r.at
		locals += uint64(r.u32("a number of locals"))
		readValueType(r, "a local")
		if most := uint64(localsMax + m.allowance(meterLocals)); locals > most {
			r.fail(Limit, at, "%d locals, at most %d are allowed", locals, most)
		}
	}
	return uint32(locals)
}

func (m *Module) readInstructions(r *reader, cost *bodyCost) {
	// Of each open block, the function's own first: it is a loop.
	blocks, loops := make([]bool, 1, nestingMax), 0
	for len(blocks) > 0 && r.problem == nil {
		at := r.at
		opcode := r.byte("an instruction")
		switch kind := opcodes[opcode]; {
		case r.problem != nil:
		case opcode == opEnd:
			if blocks[len(blocks)-1] {
				loops--
			}
			blocks = blocks[:len(blocks)-1]
		case kind == blockType:
			blocks = append(blocks, opcode == opLoop)
			if opcode == opLoop {
				loops++
			}
			if len(blocks)-1 > int(nestingMax+m.allowance(meterNesting)) {
				r.fail(Limit, at, "blocks are nested deeper than %d levels", nestingMax)
			}
			if loops > loopNestingMax {
				r.fail(Limit, at, "loops are nested deeper than %d levels", loopNestingMax)
			}
			cost.depth, cost.loopDepth = max(cost.depth, len(blocks)-1), max(cost.loopDepth, loops)
			readBlockType(r, at)
			cost.step(opcode, 0, 0)
		default:
			m.readImmediates(r, opcode, kind, at, cost)
		}
	}
	if r.problem == nil && r.at < r.end {
		r.fail(Format, r.at, "bytes follow the function's last end")
	}
}

func readBlockType(r *reader, at int) {
	switch code := r.byte("the type of a block"); {
	case r.problem != nil, code == emptyType, valueTypes[code] != "":
	case code < 0x40:
		r.fail(Opcode, at, "blocks of several values are not allowed; build without the multi-value feature")
	default:
		r.fail(Opcode, at, "a block of type %s", typeAdvice(code))
	}
}

func (m *Module) readImmediates(r *reader, opcode byte, kind immediate, at int, cost *bodyCost) {
	number, labelCount := uint32(0), 0
	if opcode == opPrefix {
		number = r.u32("an opcode")
		if kind = prefixed[number]; kind == unknown && number <= prefixedLast {
			kind = refused
		}
	}
	switch kind {
	case none:
	case oneIndex:
		r.u32("an index")
		if opcode == opBranch || opcode == opBranchIf {
			labelCount = 1
		}
	case twoIndexes:
		r.u32("a type's index")
		if r.u32("a table's index") > 0 {
			r.fail(Opcode, at, "call_indirect through a second table is not allowed")
		}
	case labels:
		count := int(r.count("labels of a br_table", tableLabelsMax, Limit)) + 1
		for ; labelCount < count && r.problem == nil; labelCount++ {
			r.u32("a label")
		}
	case memoryAccess:
		if r.u32("an alignment") >= 8 {
			r.fail(Memory, at, "only memory 0 may be used, with the natural alignment at most")
		}
		r.u32("an offset in memory")
	case oneMemory:
		readMemoryIndex(r, at)
	case twoMemories:
		readMemoryIndex(r, at)
		readMemoryIndex(r, at)
	case dataAndMemory:
		r.u32("a data segment's index")
		readMemoryIndex(r, at)
	case const32:
		r.signed(5, "i32.const")
	case const64:
		r.signed(10, "i64.const")
	case refused:
		r.fail(Opcode, at, "opcode 0x%x: floats, vectors, threads, references, exceptions and tail calls are not allowed", opcode)
	default:
		r.fail(Format, at, "unknown opcode 0x%x", opcode)
	}
	cost.step(opcode, number, labelCount)
}

// A memory is named by one byte, 0: engines disagree about longer forms.
func readMemoryIndex(r *reader, at int) {
	if index := r.byte("a memory's index"); r.problem == nil && index != 0 {
		r.fail(Memory, at, "only memory 0 may be used, in its form of one byte")
	}
}
