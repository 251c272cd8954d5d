package upgrade

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// nameProblem is what is wrong with the name of a plan, module, store or check; "" when nothing is.
func nameProblem(name string, bytesMax int) string {
	switch {
	case name == "":
		return "is empty"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case len(name) > bytesMax:
		return fmt.Sprintf("has %d bytes, at most %d are allowed", len(name), bytesMax)
	}
	for _, character := range name {
		if character < 0x20 || character >= 0x7f && character <= 0x9f {
			return "holds a control character"
		}
	}
	return ""
}

// prefixEnd is the first key that does not begin with prefix; nil when there is none.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}
