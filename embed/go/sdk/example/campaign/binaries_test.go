//go:build campaign

package campaign

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binaries of both versions: built once, or those of EXAMPLED_BINARIES (a folder with v1/exampled and v2/exampled).
var binaries struct{ v1, v2 string }

const versionVariable = "github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app.Version"

func TestMain(m *testing.M) { os.Exit(run(m)) }

// unpinned lets tests try several handlers for one plan.
const unpinned = "EXAMPLED_UPGRADE_UNPINNED"

func run(m *testing.M) int {
	if err := os.Setenv(unpinned, "true"); err != nil {
		panic(err)
	}
	folder := os.Getenv("EXAMPLED_BINARIES")
	if folder == "" {
		made, err := os.MkdirTemp("", "exampled-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(made)
		folder = made
		for _, version := range []string{"1", "2"} {
			build(version, filepath.Join(folder, "v"+version, "exampled"))
		}
	}
	binaries.v1 = filepath.Join(folder, "v1", "exampled")
	binaries.v2 = filepath.Join(folder, "v2", "exampled")
	return m.Run()
}

func build(version, out string) {
	cmd := exec.Command("go", "build", "-ldflags", "-X "+versionVariable+"="+version, "-o", out, "../cmd/exampled")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		panic(err)
	}
}
