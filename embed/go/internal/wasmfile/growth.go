package wasmfile

// growth is how much more of something a metered body has than the body that it is made of, at most: so much once, for
// each branch of the plain body, and for each of its calls. docs/abi.md has the same numbers, a test compares them, and
// test/guest/metered-growth.test.ts of the repository holds the meter to them.
type growth struct {
	what                   string
	once, ofBranch, ofCall int
	of                     func(*bodyCost) int
}

// What host/upgrade/handler/meter of the repository puts into a body. The body itself is copied.
//
// At a place where control splits or joins it takes a price (read the gas, a constant, subtract, write: 13 bytes, 3
// values), the price of far loads if the memory is large (an `if`: 19 bytes, a branch, 4 values), and may look whether
// gas is left (a `br_if`: 18 bytes, a branch, 3 values): 50 bytes, 2 branches and 10 values at most. Where a block, a
// loop or an `if` begins and ends there is such a place, after `else` and `br_if` too; so an `if`, which is one branch,
// brings two of them. A loop is four branches. A `return` becomes a `br`, a bulk operation is looked at in 29 bytes.
//
// A call hands the gas over and back (12 bytes, a value); after one that may grow the memory far loads are priced again.
// A `memory.grow`, a branch, becomes a call.
//
// Once: two locals, the outer and the inner block, the entry's place, a `br_if` that looks at the stack, and at the end
// what is given back: 109 bytes, 6 branches, 19 values. Inside both blocks the `if` of far loads is the deepest. The body
// in place of memory.grow is made of none: 81 bytes, 6 branches, 22 values.
//
// Indices take 2 bytes at most (1,004 globals, 290 locals, 260 blocks), of a function 3; constants are counted as 5.
var growths = []growth{
	{"bytes", 110, 100, 31, func(c *bodyCost) int { return c.size }},
	{"locals", 2, 0, 0, func(c *bodyCost) int { return c.locals }},
	{"blocks inside each other", 3, 0, 0, func(c *bodyCost) int { return c.depth }},
	{"loops", 0, 0, 0, func(c *bodyCost) int { return c.loops }},
	{"loops inside each other", 0, 0, 0, func(c *bodyCost) int { return c.loopDepth }},
	{"branches", 6, 4, 1, func(c *bodyCost) int { return c.branches }},
	{"values", 22, 20, 4, func(c *bodyCost) int { return c.values }},
	{"calls", 0, 1, 0, func(c *bodyCost) int { return c.calls }},
}

// excess says what of a metered body is more than metering a body that costs this can give; "": nothing.
func (c *bodyCost) excess(plain *bodyCost) (what string, count, most int) {
	for _, each := range growths {
		count, most := each.of(c), each.of(plain)+each.once+each.ofBranch*plain.branches+each.ofCall*plain.calls
		if count > most {
			return each.what, count, most
		}
	}
	return "", 0, 0
}
