package upgrade

import "fmt"

// Error is the one error type of this package.
//
//	var failure *upgrade.Error
//	if errors.As(err, &failure) && failure.Code == upgrade.CodeHandlerLayout { … }
type Error struct {
	// Code is stable: docs/errors.md of the project lists what each means.
	Code Code
	// Message is one line for people.
	Message string
	// Details are facts about the failure for machines; of a failed run always "gas", what was charged until then.
	Details map[string]string
	// Cause is what this error was made from; nil for most.
	Cause error
}

// Error returns the message and, in brackets, the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// Unwrap returns the cause, so that errors.Is finds a store's own error or context.Canceled.
func (e *Error) Unwrap() error { return e.Cause }

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

func (e *Error) because(cause error) *Error {
	e.Cause = cause
	return e
}
