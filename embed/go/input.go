package upgrade

import "time"

// Input is what a handler runs with.
type Input struct {
	ChainID string
	// Height of the upgrade block.
	Height int64
	// Time of the block; a handler has no other clock. The zero time is handed over as it is, as the year 1: its seconds
	// take ten bytes instead of five, which costs a handler that reads its context some 400 gas more. So a rehearsal or a
	// test without a time counts other gas than the block does.
	Time time.Time
	Plan Plan
	// PlanBytes are the protobuf bytes of the plan as the chain stores it; nil: they are made of Plan.
	PlanBytes []byte
	// Versions are the stored module versions.
	Versions VersionMap
	// Stores are all stores of the chain by name, as its store loader left them. The handler reaches those of its manifest
	// only; the guards use the names of the others. Nothing may write to them while the handler runs, and the run writes
	// nothing to them until Run.Write.
	Stores Stores
	// ModuleStores names the stores of each module whose store has another name than the module, or that has several or
	// none. Modules without an entry own the store of their own name, if it exists.
	ModuleStores map[string][]string
	// VitalModules are modules that a handler may remove only with allows.removeModules; nil: gov and upgrade.
	VitalModules []string
	// GasLimit replaces the manifest's limit when it is not 0; at most 10^12, as that is. A chain leaves it out.
	GasLimit uint64
	// Log gets the handler's lines: one line each, without control characters, at most 4 KiB; nil drops them.
	Log func(level LogLevel, text string)
	// Progress is in units of the handler's choice; nil drops it.
	Progress func(done, total int64)
	Overlay  OverlayOptions
	// WithoutGuards leaves out the rules that a chain's keeper applies around the handler (Guard in guards.go), as tests
	// of a handler alone do: a chain leaves it false.
	WithoutGuards bool
	// batchBytes other than the default show whether a result depends on where batches end; 0: the default.
	batchBytes int
	// isExactLimit: a GasLimit of 0 is 0.
	isExactLimit bool
}

// LogLevel is of a line that a handler logs.
type LogLevel string

// The levels of chain.log.
const (
	LogDebug LogLevel = "debug"
	LogInfo  LogLevel = "info"
	LogWarn  LogLevel = "warn"
	LogError LogLevel = "error"
)

// OverlayOptions bound what a run's writes may take until they are written.
type OverlayOptions struct {
	// MemoryBytes that the writes of all stores may take in memory; beyond, they are spilled to a temporary file.
	// 0: 256 MiB.
	MemoryBytes int64
	// DiskBytes that spilled writes may take; beyond, the run fails with UPG_STORE_FULL. 0: 8 GiB.
	DiskBytes int64
	// Dir is where temporary files are made; "": os.TempDir().
	Dir string
}
