package rehearse

import (
	"errors"
	"fmt"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

func invalid(format string, args ...any) *upgrade.Error {
	return failure(upgrade.CodeInvalidArgument, format, args...)
}

func failure(code upgrade.Code, format string, args ...any) *upgrade.Error {
	return &upgrade.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func codeOf(err error) string {
	var failed *upgrade.Error
	if errors.As(err, &failed) {
		return string(failed.Code)
	}
	return string(upgrade.CodeMigrationFailed)
}

// recovered turns a panic of a store into an error.
func recovered(err *error, doing string) {
	thrown := recover()
	if thrown == nil {
		return
	}
	wrapped := failure(upgrade.CodeStoreIO, "the chain's store failed (%s): %v", doing, thrown)
	wrapped.Cause = thrownError(thrown)
	*err = wrapped
}

func thrownError(thrown any) error {
	if err, ok := thrown.(error); ok {
		return err
	}
	return fmt.Errorf("%v", thrown)
}
