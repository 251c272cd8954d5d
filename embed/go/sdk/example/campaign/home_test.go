//go:build campaign

package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const chainID = "example-1"

// newHome makes the home of a chain with one validator and many notes.
func newHome(t *testing.T, notes int) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	keyring := []string{"--keyring-backend", "test"}
	exampled(t, binaries.v1, home, "init", "node", "--chain-id", chainID)
	exampled(t, binaries.v1, home, append(keyring, "keys", "add", "val")...)
	exampled(t, binaries.v1, home, append(keyring, "genesis", "add-genesis-account", "val", "1000000000000stake")...)
	exampled(t, binaries.v1, home, append(keyring, "genesis", "gentx", "val", "500000000000stake", "--chain-id", chainID)...)
	exampled(t, binaries.v1, home, "genesis", "collect-gentxs")
	changeGenesis(t, filepath.Join(home, "config", "genesis.json"), notes)
	settings := filepath.Join(home, "config", "config.toml")
	text := read(t, settings)
	write(t, settings, strings.Replace(text, `timeout_commit = "5s"`, `timeout_commit = "200ms"`, 1))
	return home
}

// changeGenesis shortens governance to seconds and asks for notes.
func changeGenesis(t *testing.T, path string, notes int) {
	t.Helper()
	var document map[string]any
	must(t, json.Unmarshal([]byte(read(t, path)), &document))
	state := document["app_state"].(map[string]any)
	params := state["gov"].(map[string]any)["params"].(map[string]any)
	params["voting_period"], params["expedited_voting_period"] = "4s", "3s"
	params["max_deposit_period"] = "4s"
	params["min_deposit"] = []any{map[string]any{"denom": "stake", "amount": "1000"}}
	state["notes"].(map[string]any)["count"] = notes
	changed, err := json.Marshal(document)
	must(t, err)
	write(t, path, string(changed))
}

// exampled runs a command of a binary to its end.
func exampled(t *testing.T, binary, home string, args ...string) string {
	t.Helper()
	out, err := exec.Command(binary, append(args, "--home", home)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// copyHome copies a home whose node has stopped.
func copyHome(t *testing.T, home string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "home")
	must(t, os.CopyFS(copied, os.DirFS(home)))
	return copied
}

// digest is one hash of every file of a folder, with its name.
func digest(t *testing.T, folder string) string {
	t.Helper()
	all := sha256.New()
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		one := sha256.Sum256(content)
		_, err = all.Write(append([]byte(path), one[:]...))
		return err
	}))
	return hex.EncodeToString(all.Sum(nil))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
