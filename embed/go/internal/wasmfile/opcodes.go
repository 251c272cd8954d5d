package wasmfile

// What follows an opcode.
type immediate byte

const (
	unknown immediate = iota
	none
	blockType
	oneIndex
	twoIndexes
	labels
	memoryAccess
	oneMemory
	twoMemories
	dataAndMemory
	const32
	const64
	// refused for what it is: floats, and extensions that are not allowed.
	refused
)

const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBranch       = 0x0c
	opBranchIf     = 0x0d
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opGrow         = 0x40
	opI32          = 0x41
	opI64          = 0x42
	opPrefix       = 0xfc
	// dataDrop is one of the prefixed.
	dataDrop  = 9
	emptyType = 0x40
)

// opcodes are the instructions that a handler may have (docs/abi.md): WebAssembly 1.0 without floats, sign extension.
var opcodes = func() (table [256]immediate) {
	set := func(kind immediate, ranges ...int) {
		for i := 0; i < len(ranges); i += 2 {
			for opcode := ranges[i]; opcode <= ranges[i+1]; opcode++ {
				table[opcode] = kind
			}
		}
	}
	set(none, 0x00, 0x01, opElse, opElse, opEnd, opEnd, 0x0f, 0x0f, 0x1a, 0x1b)
	set(blockType, 0x02, 0x04)
	set(oneIndex, 0x0c, 0x0d, 0x10, 0x10, 0x20, 0x24)
	set(labels, 0x0e, 0x0e)
	set(twoIndexes, 0x11, 0x11)
	set(memoryAccess, 0x28, 0x29, 0x2c, 0x37, 0x3a, 0x3e)
	set(oneMemory, 0x3f, 0x40)
	set(const32, opI32, opI32)
	set(const64, opI64, opI64)
	set(none, 0x45, 0x5a, 0x67, 0x8a, 0xa7, 0xa7, 0xac, 0xad, 0xc0, 0xc4)
	set(refused, 0x06, 0x0a, 0x12, 0x15, 0x18, 0x19, 0x1c, 0x1c, 0x1f, 0x1f, 0x25, 0x26, 0x2a, 0x2b, 0x38, 0x39, 0x43, 0x44)
	set(refused, 0x5b, 0x66, 0x8b, 0xa6, 0xa8, 0xab, 0xae, 0xbf, 0xd0, 0xd6, 0xfb, 0xfb, 0xfd, 0xfe)
	return table
}()

// prefixed are the allowed ones after opPrefix: bulk memory.
var prefixed = map[uint32]immediate{8: dataAndMemory, 9: oneIndex, 10: twoMemories, 11: oneMemory}

// The last of the prefixed opcodes that mean something: conversions of floats, and changes of a table.
const prefixedLast = 17
