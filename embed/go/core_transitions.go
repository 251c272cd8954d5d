package upgrade

// Decision is what the core decides at the start of a block.
type Decision int32

// The decisions of pre_block.
const (
	Idle Decision = iota
	Pending
	Skip
	Apply
	HaltUpgradeNeeded
	HaltBinaryTooEarly
	HaltHandlerMissing
)

var decisionNames = []string{
	"Idle", "Pending", "Skip", "Apply", "HaltUpgradeNeeded", "HaltBinaryTooEarly", "HaltHandlerMissing",
}

// String returns the decision's name.
func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return "unknown"
	}
	return decisionNames[d]
}

// IsHalt reports whether the node must stop before this block.
func (d Decision) IsHalt() bool { return d >= HaltUpgradeNeeded }

// Facts are what the host knows and the core cannot.
type Facts struct {
	// HasHandler: the program has a handler for the stored plan; HasLastHandler: for the upgrade applied last.
	HasHandler, HasLastHandler bool
	// IsSkipHeight: the operator skips this height. IsFirstBlock: this process has not committed a block yet.
	IsSkipHeight, IsFirstBlock bool
}

func (f Facts) flags() uint64 {
	flags := uint64(0)
	for i, fact := range []bool{f.HasHandler, f.HasLastHandler, f.IsSkipHeight, f.IsFirstBlock} {
		if fact {
			flags |= 1 << i
		}
	}
	return flags
}

// Schedule stores a plan, which replaces one that is stored; height is the block's. It fails with UPG_INVALID_PLAN_*.
func (c *Core) Schedule(store KVStore, height int64, plan Plan) error {
	message, err := c.planMessage(plan)
	if err != nil {
		return err
	}
	return c.ScheduleBytes(store, height, message)
}

// ScheduleBytes is Schedule for a plan in protobuf.
func (c *Core) ScheduleBytes(store KVStore, height int64, plan []byte) error {
	_, err := c.transition(store, "plan_schedule", []uint64{uint64(height)}, plan)
	return err
}

// Clear removes the stored plan, if there is one.
func (c *Core) Clear(store KVStore) error {
	_, err := c.transition(store, "plan_clear", nil)
	return err
}

// PreBlock decides about the block of this height. It only reads.
func (c *Core) PreBlock(store KVStore, height int64, facts Facts) (Decision, error) {
	number, err := c.transition(store, "pre_block", []uint64{uint64(height), facts.flags()})
	if err == nil && (number < 0 || int(number) >= len(decisionNames)) {
		err = coreMisfit("core.wasm returned the unknown decision %d", number)
	}
	return Decision(number), err
}

// Apply records an upgrade: versions, protocol version + 1, plan cleared, Done. planBytes are those that PreBlock decided
// on, versions the whole map after the upgrade, removes the modules that it may lack. It fails with UPG_BUG_PLAN_CHANGED,
// UPG_MIGRATION_VERSION_MAP and UPG_INVALID_*.
func (c *Core) Apply(store KVStore, height int64, planBytes []byte, versions VersionMap, removes []string) error {
	_, err := c.transition(store, "apply", []uint64{uint64(height)}, planBytes, versions.Encode(), encodeNames(removes))
	return err
}

// SetVersionMap replaces the stored versions: at genesis.
func (c *Core) SetVersionMap(store KVStore, versions VersionMap) error {
	_, err := c.transition(store, "version_map_set", nil, versions.Encode())
	return err
}

// SetReceipt stores the record of an upgrade: 1 byte to 512 KiB.
func (c *Core) SetReceipt(store KVStore, name string, receipt []byte) error {
	// Beyond this the core might have no room to look at it.
	if len(receipt) > receiptBytesMax {
		return newError(CodeInvalidValue, "a receipt has 1 byte to 512 KiB")
	}
	_, err := c.transition(store, "receipt_set", nil, []byte(name), receipt)
	return err
}
