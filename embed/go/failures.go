package upgrade

import (
	"regexp"
	"strconv"
	"strings"
)

// How a run ends when it does not succeed. What the guest did is the same on every node and has a class; what the engine
// or the machine could not do is not, and must never be taken for a result.

// Classes of WebAssembly traps, found in wazero's words. First match wins.
var trapClasses = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)unreachable`), "unreachable"},
	{regexp.MustCompile(`(?i)\btable\b|indirect`), "bad indirect call"},
	{regexp.MustCompile(`(?i)memory|out of bounds`), "memory out of bounds"},
	{regexp.MustCompile(`(?i)overflow`), "integer overflow"},
	{regexp.MustCompile(`(?i)zero`), "division by zero"},
}

// trap: the guest broke a rule of the interface. The run ends, and the guest cannot catch it.
func trap(format string, args ...any) *Error {
	failure := newError(CodeHandlerTrap, format, args...)
	failure.with("trap", failure.Message)
	failure.Message = "the handler broke its interface: " + failure.Message
	return failure
}

// failed: the handler said no.
func failed(format string, args ...any) *Error {
	failure := newError(CodeMigrationFailed, format, args...)
	failure.Message = "the handler failed: " + failure.Message
	return failure
}

// guestFailure is what ended a call into the guest, as the error that the run ends with.
func (s *session) guestFailure(cause error, call string) error {
	if err := s.ctx.Err(); err != nil {
		return cancelled(err)
	}
	if s.failure != nil {
		return s.failure
	}
	if int32(s.gas.refused.Get()) == 1 {
		return engineError("the engine had no memory for the handler in "+call, cause)
	}
	if err := s.gas.requireRest(call); err != nil {
		return err
	}
	if int32(s.gas.stack.Get()) < 0 {
		return newError(CodeHandlerStack, "the handler called itself too deeply in %s: %d abstract bytes of stack are used up; "+
			"loop instead of recursing", call, stackBudget).with("call", call)
	}
	return trapOf(cause, call)
}

func trapOf(cause error, call string) error {
	first, _, _ := strings.Cut(cause.Error(), "\n")
	words, isTrap := strings.CutPrefix(first, "wasm error: ")
	if !isTrap || strings.HasPrefix(words, "stack overflow") {
		return engineError("the engine gave up in "+call, cause)
	}
	name := "trap"
	for _, class := range trapClasses {
		if class.words.MatchString(words) {
			name = class.name
			break
		}
	}
	return newError(CodeHandlerTrap, "the handler trapped in %s: %s", call, name).with("trap", name).with("call", call).
		because(cause)
}

// ofRun adds where a run failed, and how much was charged until then, at most its limit. What a store or a bug of ours
// ended says nothing of a run.
func (s *session) ofRun(err error) error {
	failure, ok := err.(*Error)
	if !ok || !strings.HasPrefix(string(failure.Code), "UPG_MIGRATION_") && !strings.HasPrefix(string(failure.Code), "UPG_HANDLER_") {
		return err
	}
	s.place.describe(failure, s.memory.pages())
	return failure.with("gas", strconv.FormatInt(s.gas.used(), 10))
}
