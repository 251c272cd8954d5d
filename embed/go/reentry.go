package upgrade

import (
	"reflect"
	"runtime"
)

// lock waits for other goroutines. A store that calls the core which is calling it would wait for itself for ever: then
// this goroutine's own stack has Core.run in it already. It is looked at only when the core is busy.
func (c *Core) lock() error {
	if c.mutex.TryLock() {
		return nil
	}
	// Callers, isInsideCore, lock and what called it are no sign.
	if isInsideCore(4) {
		return newError(CodeBugAssert, "a store called the core that was calling it: a store must not call a core")
	}
	c.mutex.Lock()
	return nil
}

func isInsideCore(skip int) bool {
	coreRun := runtime.FuncForPC(reflect.ValueOf((*Core).run).Pointer()).Name()
	pcs := make([]uintptr, 64)
	for {
		count := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:count])
		for more := count > 0; more; {
			var frame runtime.Frame
			if frame, more = frames.Next(); frame.Function == coreRun {
				return true
			}
		}
		if count < len(pcs) {
			return false
		}
		skip += count
	}
}
