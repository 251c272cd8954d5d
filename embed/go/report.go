package upgrade

// Report is what a run did. All of it but the overlay's sizes is the same on every machine.
type Report struct {
	// Gas used, by schedule gas-2.
	Gas uint64
	// Stores that the handler may write, ascending by name.
	Stores []StoreReport
	// Checks are the handler's own invariants; all of them held, else the run failed.
	Checks []Check
	// Versions are the stored versions with what the manifest declares: what the chain stores after the upgrade.
	Versions VersionMap
	// MemoryPages of 64 KiB that the handler's memory had at its end, which is its peak.
	MemoryPages uint32
	// OverlayBytes is the most that the writes took in memory, SpilledBytes what they took on disk.
	OverlayBytes, SpilledBytes int64
}

// StoreReport is what a handler did to one store, in operations of its own: a key written twice counts twice.
type StoreReport struct {
	Name string
	// Written counts puts, Deleted deletes, also of keys that were absent.
	Written, Deleted uint64
	// Bytes of the keys and values of the puts and the keys of the deletes.
	Bytes uint64
	// SHA256 of the final writes, ascending by key, each framed as a handler frames its output with store index 0:
	// u32 op<<30 | klen, for a put u32 vlen, then key and value, little-endian. Lower-case hex.
	SHA256 string
}

// Check is an invariant that the handler looked at after the migration.
type Check struct {
	Name    string
	Ok      bool
	Message string
}
