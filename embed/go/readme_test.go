package upgrade

import (
	"bytes"
	"encoding/json"
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
	module, err := filepath.Abs(".")
	must(t, err)
	for i, block := range blocks {
		// As if they were in the module, so that they import it as it is here.
		dir := t.TempDir()
		program, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
		must(t, os.WriteFile(program, block[1], 0o600))
		replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(module, "readme/main.go"): program}})
		must(t, err)
		must(t, os.WriteFile(overlay, replace, 0o600))
		output, err := exec.Command("go", "run", "-overlay", overlay, "./readme").CombinedOutput()
		if err != nil || !bytes.Equal(output, block[2]) {
			t.Errorf("program %d: %v, prints\n%s", i, err, output)
		}
	}
}
