package upgrade

import "encoding/binary"

// Done is an upgrade that was applied.
type Done struct {
	Name   string
	Height int64
}

// PlanBytes returns the stored plan's protobuf bytes; nil: none is scheduled.
func (c *Core) PlanBytes(store KVStore) ([]byte, error) { return c.bytesOf(store, "plan_get", nil) }

// Plan returns the stored plan; nil: none is scheduled.
func (c *Core) Plan(store KVStore) (*Plan, error) {
	message, err := c.PlanBytes(store)
	if err != nil || message == nil {
		return nil, err
	}
	plan, err := c.DecodePlan(message)
	if err != nil {
		return nil, err
	}
	return &plan, nil
}

// DoneHeight returns the height at which an upgrade was applied; 0: never.
func (c *Core) DoneHeight(store KVStore, name string) (int64, error) {
	return c.transition(store, "done_height", nil, []byte(name))
}

// LastDone returns the upgrade that was applied at the greatest height; nil: none was.
func (c *Core) LastDone(store KVStore) (*Done, error) {
	record, err := c.bytesOf(store, "last_done", nil)
	if err != nil || record == nil {
		return nil, err
	}
	if len(record) < 8 {
		return nil, coreMisfit("last_done of core.wasm returned %d bytes", len(record))
	}
	return &Done{Height: int64(binary.LittleEndian.Uint64(record)), Name: string(record[8:])}, nil
}

// Version returns the stored version of a module; not ok when none is stored.
func (c *Core) Version(store KVStore, module string) (version uint64, ok bool, err error) {
	return c.number(store, "version_get", []byte(module))
}

// VersionMap returns the stored version of every module.
func (c *Core) VersionMap(store KVStore) (VersionMap, error) {
	encoded, err := c.bytesOf(store, "version_map_get", nil)
	if err != nil {
		return nil, err
	}
	return DecodeVersionMap(encoded)
}

// ProtocolVersion returns how many upgrades were applied; 0 before the first.
func (c *Core) ProtocolVersion(store KVStore) (uint64, error) {
	version, _, err := c.number(store, "protocol_version")
	return version, err
}

// Receipt returns the record of an upgrade; nil: there is none.
func (c *Core) Receipt(store KVStore, name string) ([]byte, error) {
	return c.bytesOf(store, "receipt_get", nil, []byte(name))
}

func (c *Core) number(store KVStore, name string, inputs ...[]byte) (number uint64, ok bool, err error) {
	bytes, err := c.bytesOf(store, name, nil, inputs...)
	if err != nil || bytes == nil {
		return 0, false, err
	}
	if len(bytes) != 8 {
		return 0, false, coreMisfit("%s of core.wasm returned %d bytes", name, len(bytes))
	}
	return binary.LittleEndian.Uint64(bytes), true, nil
}
