package wasmfile

// What a function may ask of a compiler, whose time and memory grow with the square of some figures: docs/gas.md,
// "Compilers". They are counted as the node counts them, but for operands, whose number the types decide.
const (
	branchesMax        = 2_048
	branchesTotalMax   = 65_536
	branchVariablesMax = 200_000
	branchValuesMax    = 16_777_216
	loopsMax           = 256
	loopNestingMax     = 32
	valuesMax          = 32_768
	callsMax           = 4_096
	// A loop is entered, begun again and left.
	loopBranches = 4
)

// bodyCost is what one function asks of a compiler.
type bodyCost struct {
	// size of the body in bytes, locals that it declares, variables: these and its parameters.
	size, locals, variables int
	// depth of blocks inside each other, loopDepth of loops.
	depth, loopDepth int
	// branches: each block, loop, if, else, return, bulk operation, division and label of a branch.
	branches, loops int
	// values: instructions that make one.
	values, calls int
}

// step counts an instruction; labels are those of a branch.
func (c *bodyCost) step(opcode byte, prefixed uint32, labels int) {
	switch {
	case opcode == opLoop:
		c.loops++
		c.branches += loopBranches
	case opcode == opBlock, opcode == opIf, opcode == opElse, opcode == opReturn, opcode == opGrow, isDivision(opcode):
		c.branches++
	case opcode == opPrefix && prefixed != dataDrop:
		c.branches++
	case opcode == opCall, opcode == opCallIndirect:
		c.calls++
	}
	c.branches += labels
	if makesValue(opcode) {
		c.values++
	}
}

func isDivision(opcode byte) bool {
	return opcode >= 0x6d && opcode <= 0x70 || opcode >= 0x7f && opcode <= 0x82
}

// makesValue: a local that is read is a value that existed before.
func makesValue(opcode byte) bool {
	switch {
	case opcode == opCall, opcode == opCallIndirect, opcode == 0x1b, opcode == 0x23, opcode == 0x3f, opcode == opGrow:
		return true
	case opcode >= 0x28 && opcode <= 0x35:
		return true
	}
	return opcode >= opI32 && opcode < opPrefix
}

// require refuses the first figure that is too much.
func (c *bodyCost) require(r *reader, at int) {
	for _, each := range []struct {
		what       string
		count, max int
	}{
		{"branches", c.branches, branchesMax},
		{"loops", c.loops, loopsMax},
		{"values", c.values, valuesMax},
		{"calls", c.calls, callsMax},
		{"branches × parameters and locals", c.branches * c.variables, branchVariablesMax},
		{"branches × values", c.branches * (c.variables + c.values), branchValuesMax},
	} {
		if each.count > each.max {
			r.fail(Limit, at, "%s: %d, at most %d are allowed; split the function", each.what, each.count, each.max)
		}
	}
}
