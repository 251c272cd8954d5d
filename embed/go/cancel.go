package upgrade

func noContext() error {
	return newError(CodeInvalidArgument, "the context is nil: context.Background() is one that never ends")
}

// loadingCancelled is what LoadHandler returns when its context ends first.
func loadingCancelled(cause error) error {
	return newError(CodeHandlerEngine, "loading the handler was cancelled: %v. It says nothing about the handler", cause).because(cause)
}

// cancelled is what a run ends with when its context ends first. It says nothing about the handler.
//
// The context is looked at whenever the guest calls the host or the host calls the guest. Between two such calls a guest
// is bounded by its gas alone, of which a billion takes about a second; LoadOptions.Interruptible is for those who cannot
// wait for that.
func cancelled(cause error) error {
	return newError(CodeHandlerEngine, "the run was cancelled: %v. Nothing was written, and it says nothing about the handler", cause).
		because(cause)
}
