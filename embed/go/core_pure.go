package upgrade

import "time"

// PlanKey is the key of the stored plan, for proofs.
func (c *Core) PlanKey() ([]byte, error) { return c.pure("key_plan", nil) }

// DoneKey is the key of the record that an upgrade was applied.
func (c *Core) DoneKey(name string) ([]byte, error) { return c.pure("key_done", nil, []byte(name)) }

// VersionKey is the key of a module's version.
func (c *Core) VersionKey(module string) ([]byte, error) {
	return c.pure("key_version", nil, []byte(module))
}

// ProtocolKey is the key of the protocol version.
func (c *Core) ProtocolKey() ([]byte, error) { return c.pure("key_protocol", nil) }

// ReceiptKey is the key of an upgrade's receipt.
func (c *Core) ReceiptKey(name string) ([]byte, error) {
	return c.pure("key_receipt", nil, []byte(name))
}

// ValidatePlan applies the rules that need no state to a plan in protobuf. It fails with UPG_INVALID_PLAN_*.
func (c *Core) ValidatePlan(plan []byte) error {
	_, err := c.transition(nil, "plan_validate", nil, plan)
	return err
}

// EncodePlan returns a plan in protobuf. It fails with UPG_INVALID_PLAN_*, UPG_INVALID_PLAN_DEPRECATED when a client state
// is set.
func (c *Core) EncodePlan(plan Plan) ([]byte, error) {
	fields, err := plan.fields()
	if err != nil {
		return nil, err
	}
	return c.pure("plan_encode", nil, fields)
}

// DecodePlan reads a plan in protobuf. It fails with UPG_INVALID_PLAN_BYTES, also when name or info is not UTF-8.
func (c *Core) DecodePlan(plan []byte) (Plan, error) {
	fields, err := c.pure("plan_decode", nil, plan)
	if err != nil {
		return Plan{}, err
	}
	return planOfFields(fields)
}

// planMessage is EncodePlan with a client state included: scheduling has rules that come before its refusal.
func (c *Core) planMessage(plan Plan) ([]byte, error) {
	hasState := plan.HasClientState
	plan.HasClientState = false
	message, err := c.EncodePlan(plan)
	if err == nil && hasState {
		// Field 5, an empty message.
		message = append(message, 5<<3|2, 0)
	}
	return message, err
}

// HaltText is the message that operators search for. subject is the plan's bytes, or for HaltHandlerMissing the name of
// the last applied upgrade; appVersion appears in the message of that one alone.
func (c *Core) HaltText(decision Decision, height int64, appVersion uint64, subject []byte) (string, error) {
	text, err := c.pure("halt_text", []uint64{uint64(uint32(decision)), uint64(height), appVersion}, subject)
	return string(text), err
}

// UpgradeInfo is the content of upgrade-info.json; height is the block's.
func (c *Core) UpgradeInfo(height int64, plan []byte) ([]byte, error) {
	return c.pure("upgrade_info", []uint64{uint64(height)}, plan)
}

// CancellableHeight is the lowest height for a plan that leaves time for a second vote to cancel it: start, the height
// now, and as many blocks as two voting periods, two deposit periods and the safety time take.
func (c *Core) CancellableHeight(start int64, voting, deposit, safety, block time.Duration) (int64, error) {
	numbers := []uint64{uint64(start), uint64(voting), uint64(deposit), uint64(safety), uint64(block)}
	return c.transition(nil, "cancellable_height", numbers)
}

func (c *Core) pure(name string, numbers []uint64, inputs ...[]byte) ([]byte, error) {
	bytes, err := c.bytesOf(nil, name, numbers, inputs...)
	if err == nil && bytes == nil {
		err = coreMisfit("%s of core.wasm returned ABSENT", name)
	}
	return bytes, err
}
