package example_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("(?s)<!-- from ([^ ]+) -->\n```go\n(.*?)```")

func TestReadmeQuotesTheExample(t *testing.T) {
	readme := mustRead(t, "../README.md")
	all := quoted.FindAllStringSubmatch(readme, -1)
	if len(all) != 7 {
		t.Fatalf("%d blocks are quoted", len(all))
	}
	for _, each := range all {
		if !strings.Contains(mustRead(t, filepath.Join("..", each[1])), each[2]) {
			t.Errorf("%s has no longer what the README quotes:\n%s", each[1], each[2])
		}
	}
	if !strings.Contains(readme, fmt.Sprintf("%x", sha256.Sum256([]byte(mustRead(t, "../testdata/v2.wasm"))))) {
		t.Error("the README names another hash of v2.wasm")
	}
}

// Commands that add the module: a chain needs the replaces of the SDK's own go.mod.
func TestReadmeReplacesWhatTheSDKReplaces(t *testing.T) {
	readme := mustRead(t, "../README.md")
	module := mustRead(t, "go.mod")
	replaces := module[strings.LastIndex(module, "\nreplace (\n")+len("\nreplace (\n"):]
	replaces, _, _ = strings.Cut(replaces, ")")
	lines := strings.Split(strings.TrimSpace(replaces), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d replaces", len(lines))
	}
	for _, line := range lines {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " => ")
		if flag := "-replace " + from + "=" + strings.Replace(to, " ", "@", 1); !strings.Contains(readme, flag) {
			t.Errorf("the README has no %s", flag)
		}
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
