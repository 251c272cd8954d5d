package upgrade

import "fmt"

// Error is the one error type of this package.
//
//	if errors.Is(err, upgrade.CodeHandlerLayout) { … }
//
//	var failure *upgrade.Error
//	if errors.As(err, &failure) { … failure.Details … }
type Error struct {
	// Code is stable: docs/errors.md of the project lists what each means.
	Code Code
	// Message is one line for people.
	Message string
	// Details are facts about the failure for machines. Of a failed run: "gas" that was charged until then, "phase" in which
	// it was and "memory" of the guest in bytes; in a scan of the manifest also "scan", its "store", the "pairs" of it that
	// were consumed before this batch, "key" of the first pair that was not (in hex), and "memory_before" the scan.
	Details map[string]string
	// Cause is what this error was made from; nil for most.
	Cause error
}

// Error returns the message and, in brackets, the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// Unwrap returns the cause, so that errors.Is finds a store's own error or context.Canceled.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is the code of this error.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

func newError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// with adds a fact.
func (e *Error) with(name, value string) *Error {
	if e.Details == nil {
		e.Details = map[string]string{}
	}
	e.Details[name] = value
	return e
}

// orWith adds a fact unless it is known already.
func (e *Error) orWith(name, value string) *Error {
	if _, ok := e.Details[name]; ok {
		return e
	}
	return e.with(name, value)
}

func (e *Error) because(cause error) *Error {
	e.Cause = cause
	return e
}
