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

// A module beside a checkout can use this one before there is a release.
func TestReadme_commands_addTheModuleFromAFolder(t *testing.T) {
	page, err := os.ReadFile("README.md")
	must(t, err)
	commands := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(page)
	if commands == nil {
		t.Fatal("no commands")
	}
	for _, program := range []string{"go", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no command %s to run them with", program)
		}
	}
	module, err := filepath.Abs(".")
	must(t, err)
	dir := t.TempDir()
	chain, checkout := filepath.Join(dir, "chain"), filepath.Join(dir, "chain-upgrade/embed")
	must(t, os.MkdirAll(chain, 0o700))
	must(t, os.MkdirAll(checkout, 0o700))
	must(t, os.Symlink(module, filepath.Join(checkout, "go")))
	must(t, os.WriteFile(filepath.Join(chain, "go.mod"), []byte("module example.com/chain\n\ngo 1.25.0\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(chain, "main.go"), []byte("package main\n\nimport upgrade "+
		"\"github.com/chain-upgrade/chain-upgrade/embed/go\"\n\nfunc main() { println(len(upgrade.VersionMap{})) }\n"), 0o600))
	run := exec.Command("sh", "-ec", string(commands[1])+"go run .")
	// What it depends on is in the cache, since this test was built with it.
	run.Dir, run.Env = chain, append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if output, err := run.CombinedOutput(); err != nil || !bytes.HasSuffix(output, []byte("0\n")) {
		t.Errorf("%v\n%s", err, output)
	}
}

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
		if bytes.Contains(block[1], []byte("upgrade.Input{")) && !bytes.Contains(block[1], []byte("Time: ")) {
			t.Errorf("program %d leaves the time out", i)
		}
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
