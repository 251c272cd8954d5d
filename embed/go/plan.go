package upgrade

import "time"

// Plan is what is scheduled: one upgrade at one height.
type Plan struct {
	// Name names the upgrade and its handler: 1 to 140 bytes of UTF-8, used once on a chain.
	Name   string
	Height int64
	// Info is free text, at most 65,536 bytes of UTF-8; by convention JSON with a "binaries" map.
	Info string
	// Time is deprecated: a plan that sets it is refused. The zero time.Time is "not set", as in the Cosmos SDK.
	Time time.Time
	// HasClientState is deprecated: a plan that sets it is refused.
	HasClientState bool
}
