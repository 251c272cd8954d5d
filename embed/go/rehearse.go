package upgrade

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// Rehearsal is what an upgrade would do.
type Rehearsal struct {
	Report Report
	// Elapsed is the time of the run alone, without a chain's commit.
	Elapsed time.Duration
	// Changes by store that the handler may write, ascending by name.
	Changes []StoreChange
	// Warnings are about what is allowed and yet no good idea.
	Warnings []string
}

// StoreChange is how a store after the upgrade would differ from the store now.
type StoreChange struct {
	Name string
	// Keys that are new, have another value, are gone; Unchanged were written as they were, or deleted and absent.
	Added, Changed, Removed, Unchanged uint64
}

// Rehearse runs a handler over real stores, looks at what it would change, and writes nothing. It fails with what the
// upgrade would fail with.
func Rehearse(ctx context.Context, h *Handler, input Input) (Rehearsal, error) {
	started := time.Now()
	run, err := h.Run(ctx, input)
	if err != nil {
		return Rehearsal{}, err
	}
	rehearsal := Rehearsal{Report: run.Report, Elapsed: time.Since(started)}
	err = rehearsal.compare(run)
	if gone := run.Discard(); err == nil {
		err = gone
	}
	if err != nil {
		return Rehearsal{}, err
	}
	return rehearsal, nil
}

func (r *Rehearsal) compare(run *Run) error {
	if limit := run.input.GasLimit; run.Report.Gas > limit-limit/10 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d gas are used: a chain that has grown by a tenth at the height of the "+
			"upgrade would halt", run.Report.Gas, limit))
	}
	for _, handle := range run.handles.sorted() {
		change := StoreChange{Name: handle.Name}
		empty := 0
		err := eachWrite(handle, func(key, value []byte, deleted bool) error {
			before, err := storedValue(handle.Name, handle.overlay.base, key)
			if err != nil {
				return err
			}
			change.count(before, value, deleted)
			if !deleted && len(value) == 0 {
				empty++
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.Changes = append(r.Changes, change)
		if empty > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("store %q: %d empty values are written, which nobody can prove", handle.Name, empty))
		}
	}
	return nil
}

func (c *StoreChange) count(before, after []byte, deleted bool) {
	switch {
	case deleted && before == nil, !deleted && before != nil && bytes.Equal(before, after):
		c.Unchanged++
	case deleted:
		c.Removed++
	case before == nil:
		c.Added++
	default:
		c.Changed++
	}
}
