package upgrade

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// readVectors reads a file of test/vectors of the repository. A module that was downloaded alone has none: the test that needs
// it is skipped.
func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	file, err := os.Open(filepath.Join("../../test/vectors", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is in the repository, not in the module", name)
	}
	must(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	must(t, err)
	must(t, json.NewDecoder(unzipped).Decode(into))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(text)
	must(t, err)
	return bytes
}

func codeOf(err error) Code {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	if err != nil {
		return Code("not ours: " + err.Error())
	}
	return ""
}

// modes are the two ways in which wazero runs a module.
var modes = []struct {
	name        string
	interpreter bool
}{{"compiler", false}, {"interpreter", true}}

// withSection appends a custom section to a module.
func withSection(file []byte, name string, payload []byte) []byte {
	content := append(binary.AppendUvarint(nil, uint64(len(name))), name...)
	content = append(content, payload...)
	whole := append(bytes.Clone(file), 0)
	return append(binary.AppendUvarint(whole, uint64(len(content))), content...)
}

// sampleStep is every how many cases are run: of the interpreter, which is slow, -short runs some.
func sampleStep(interpreter bool) int {
	if interpreter && testing.Short() {
		return 10
	}
	return 1
}
