package upgrade

import (
	"strconv"

	"github.com/tetratelabs/wazero/api"
)

// gasCounter is the gas of one run. While the guest runs, the metered code keeps the count in a global; the host takes
// its own prices from the same number, so there is one count and one end.
type gasCounter struct {
	limit int64
	// before is what is left while there is no guest yet.
	before  int64
	gas     api.MutableGlobal
	stack   api.Global
	refused api.Global
}

// counterExports are the globals that a metered module exports.
var counterExports = []string{"chain-upgrade:gas", "chain-upgrade:stack", "chain-upgrade:refused"}

// bind: from now on the count is in the instance.
func (g *gasCounter) bind(module api.Module) error {
	counters := make([]api.MutableGlobal, len(counterExports))
	for i, name := range counterExports {
		kind := api.ValueTypeI32
		if i == 0 {
			kind = api.ValueTypeI64
		}
		counter, ok := module.ExportedGlobal(name).(api.MutableGlobal)
		if !ok || counter.Type() != kind {
			return newError(CodeBugAssert, "the metered module's %s is no counter (this is a bug, please report it)", name)
		}
		counters[i] = counter
	}
	g.gas, g.stack, g.refused = counters[0], counters[1], counters[2]
	g.gas.Set(uint64(g.before))
	return nil
}

// left is below 0 when it is gone.
func (g *gasCounter) left() int64 {
	if g.gas == nil {
		return g.before
	}
	return int64(g.gas.Get())
}

// charge fails with UPG_MIGRATION_OUT_OF_GAS, before the host does what the price is for.
func (g *gasCounter) charge(price int64, what string) error {
	if err := g.requireRest(what); err != nil {
		return err
	}
	left := g.left() - price
	if g.gas == nil {
		g.before = left
	} else {
		g.gas.Set(uint64(left))
	}
	if left < 0 {
		return g.outOfGas(what)
	}
	return nil
}

// chargeBytes is charge for bytes that cross.
func (g *gasCounter) chargeBytes(count int, what string) error {
	return g.charge(int64(count)*priceByte, what)
}

// requireRest: metered code may end with a debt, which it would have found at the next check.
func (g *gasCounter) requireRest(call string) error {
	if g.left() < 0 {
		return g.outOfGas(call)
	}
	return nil
}

// used is at most the limit.
func (g *gasCounter) used() int64 {
	return g.limit - max(0, g.left())
}

func (g *gasCounter) outOfGas(what string) error {
	limit := strconv.FormatInt(g.limit, 10)
	return newError(CodeMigrationOutOfGas, "the handler used up its gas of %s in %s: the handler does more work than its "+
		"manifest allows; a higher gasLimit makes another handler", limit, what).with("limit", limit).with("call", what)
}
