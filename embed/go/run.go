package upgrade

import (
	"context"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

const (
	overlayMemory = 256 << 20
	overlayDisk   = 8 << 30
)

// Run is a handler's run that succeeded, and its writes, which nobody has seen yet. End it with Write or Discard.
type Run struct {
	Report  Report
	handler *Handler
	input   Input
	handles *storeHandles
	space   *sorted.Space
	isOver  bool
}

// Run runs the handler: nothing is written to the stores. When it fails nothing needs to be discarded.
//
// It fails with UPG_HANDLER_LAYOUT before anything runs when the stored versions are not those that the manifest takes;
// with UPG_MIGRATION_*, UPG_HANDLER_STACK and UPG_HANDLER_TRAP by the handler's doing, the same on every machine; with
// UPG_HANDLER_ENGINE when the engine or the machine could not go on, or the context ended; and with what a store returns.
func (h *Handler) Run(ctx context.Context, input Input) (run *Run, err error) {
	if ctx == nil {
		return nil, noContext()
	}
	if h.engine.isClosed.Load() {
		return nil, newError(CodeInvalidArgument, "the handler was closed before")
	}
	if err := h.admit(&input); err != nil {
		return nil, err
	}
	space := sorted.NewSpace(sorted.Limits{
		Memory: orDefault(input.Overlay.MemoryBytes, overlayMemory),
		Disk:   orDefault(input.Overlay.DiskBytes, overlayDisk),
		Dir:    input.Overlay.Dir,
	})
	defer func() {
		if thrown := recover(); thrown != nil {
			run, err = nil, panicError("the host", thrown)
		}
		if run == nil {
			_ = space.Close()
		}
	}()
	handles, report, err := h.execute(ctx, &input, space)
	if err != nil {
		return nil, err
	}
	return &Run{Report: *report, handler: h, input: input, handles: handles, space: space}, nil
}

func orDefault(value, fallback int64) int64 {
	if value > 0 {
		return value
	}
	return fallback
}

// admit refuses what no handler should begin with.
func (h *Handler) admit(input *Input) error {
	if input.GasLimit == 0 && !input.isExactLimit {
		input.GasLimit = h.Manifest.GasLimit
	}
	if input.GasLimit > gasLimitMax {
		return newError(CodeInvalidArgument, "a gas limit is at most %d, got %d", uint64(gasLimitMax), input.GasLimit)
	}
	if !input.WithoutGuards {
		if err := h.Manifest.guardBefore(input); err != nil {
			return err
		}
	}
	return h.Manifest.CheckLayout(input.Versions)
}

func (h *Handler) execute(ctx context.Context, input *Input, space *sorted.Space) (*storeHandles, *Report, error) {
	limit := int64(input.GasLimit)
	gas := &gasCounter{limit: limit, before: limit}
	session, err := newSession(ctx, h, input, gas, space)
	if err != nil {
		return nil, nil, err
	}
	defer session.close()
	outcome, err := session.run()
	if err != nil {
		return nil, nil, session.ofRun(err)
	}
	report := &Report{
		Gas: uint64(gas.used()), Checks: outcome.checks, Versions: h.Manifest.VersionsAfter(input.Versions),
		MemoryPages: session.memory.pages(), OverlayBytes: space.PeakMemory, SpilledBytes: space.Spilled,
	}
	if err := h.requireDeclared(outcome.versions, report.Versions); err != nil {
		return nil, nil, err
	}
	if !input.WithoutGuards {
		if err := h.Manifest.guardAfter(input, report.Versions, session.handles); err != nil {
			return nil, nil, err
		}
	}
	report.Stores, err = storeReports(session.handles)
	return session.handles, report, err
}

// run makes the instance and takes all steps; when the context has ended it says so, whatever the guest did of it.
func (s *session) run() (*outcome, error) {
	err := s.ctx.Err()
	if err == nil {
		err = s.start()
	}
	var result *outcome
	if err == nil {
		result, err = s.steps()
	}
	if cause := s.ctx.Err(); cause != nil {
		return nil, cancelled(cause)
	}
	return result, err
}
