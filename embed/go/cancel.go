package upgrade

import (
	"context"
	"time"
)

// cancelled is what a run ends with when its context ends first. It says nothing about the handler.
func cancelled(cause error) error {
	return newError(CodeHandlerEngine, "the run was cancelled: %v. Nothing was written, and it says nothing about the handler", cause).
		because(cause)
}

// watch ends a guest that computes and never calls the host when the context ends: it takes the gas away, which the
// metered code looks at in every loop and call. The guest may be between reading and writing its count, and then what is
// written here is lost, so it is written until the guest has ended. The run is over in any case; its gas is not reported.
//
// The returned function ends the watch, and must be called before the gas is read for a report.
func (g *gasCounter) watch(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				g.halt()
			}
		}
	})
	return func() {
		close(done)
		if !unregister() {
			<-ended
		}
	}
}

func (g *gasCounter) halt() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.gas != nil {
		g.gas.Set(haltedGasBits)
	}
}
