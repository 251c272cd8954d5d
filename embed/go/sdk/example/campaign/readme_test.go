//go:build campaign

package campaign

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	appHash    = regexp.MustCompile(`(?m)^app hash  ([0-9A-F]{64})$`)
	committed  = regexp.MustCompile(`"app_hash":"([0-9A-F]{64})"`)
)

// "Try it" of the README, typed into a shell. Only folders and ports differ: other tests run beside this one.
func TestReadmeTypedIntoAShellUpgradesTheExample(t *testing.T) {
	module, err := filepath.Abs("..")
	must(t, err)
	readme := read(t, filepath.Join(module, "..", "README.md"))
	_, section, _ := strings.Cut(readme, "\n## Try it\n")
	section, _, _ = strings.Cut(section, "\n## ")
	script := "set -e\n"
	for _, block := range shellBlock.FindAllStringSubmatch(section, -1) {
		script += block[1]
	}
	root := t.TempDir()
	folder := filepath.Join(root, "example")
	must(t, os.Mkdir(folder, 0o700))
	must(t, os.Symlink(filepath.Join(module, "..", "testdata"), filepath.Join(root, "testdata")))
	// Go builds in the module itself; everything else is in the folder.
	script = strings.ReplaceAll(script, "go build -o build/", "go build -C "+module+" -o "+folder+"/build/")
	script = onPorts(script, freePort(t), freePort(t))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	predicted, made := appHash.FindStringSubmatch(string(out)), committed.FindStringSubmatch(string(out))
	if predicted == nil || made == nil || predicted[1] != made[1] {
		t.Fatalf("the rehearsal and block 41 differ:\n%s", out)
	}
	t.Logf("%s", out)
}

func onPorts(script string, rpc, p2p int) string {
	node := fmt.Sprintf("tcp://127.0.0.1:%d", rpc)
	return strings.NewReplacer(
		"26657", strconv.Itoa(rpc),
		"start --home", fmt.Sprintf("start --grpc.enable=false --rpc.laddr %s --p2p.laddr tcp://127.0.0.1:%d --home", node, p2p),
		`send="`, `send="--node `+node+" ",
	).Replace(script)
}
