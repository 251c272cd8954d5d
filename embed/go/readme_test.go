package upgrade

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Every program of the README prints what the block after it says.
func TestReadme_programs_printWhatItSays(t *testing.T) {
	page, err := os.ReadFile("README.md")
	must(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```\n\n```text\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d programs", len(blocks))
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to run them with")
	}
	for i, block := range blocks {
		// Inside the module, so that they import it as it is here.
		dir, err := os.MkdirTemp(".", "readme-")
		must(t, err)
		defer os.RemoveAll(dir)
		must(t, os.WriteFile(filepath.Join(dir, "main.go"), block[1], 0o600))
		output, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
		if err != nil || !bytes.Equal(output, block[2]) {
			t.Errorf("program %d: %v, prints\n%s", i, err, output)
		}
	}
}
