//go:build campaign

package campaign

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// blocksUntilPlan leaves time for the vote.
const blocksUntilPlan = 40

// schedule has governance schedule the plan v2, and returns its height.
func (n *node) schedule(info string) int64 {
	n.t.Helper()
	n.reach(2)
	height := n.height() + blocksUntilPlan
	n.send("upgrade", "software-upgrade", "v2", "--title", "version 2", "--summary", "notes by owner", "--deposit", "1000stake",
		"--upgrade-height", fmt.Sprint(height), "--upgrade-info", info, "--no-validate")
	n.send("gov", "vote", "1", "yes")
	return height
}

// send broadcasts a transaction and waits for its block.
func (n *node) send(args ...string) {
	n.t.Helper()
	args = append(append([]string{"tx"}, args...), "--home", n.home, "--node", fmt.Sprintf("tcp://127.0.0.1:%d", n.port),
		"--chain-id", chainID, "--keyring-backend", "test", "--from", "val", "-y", "-o", "json")
	out, err := exec.Command(n.binary, args...).Output()
	if err != nil {
		n.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var sent struct {
		TxHash string
		Code   int
		RawLog string `json:"raw_log"`
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	must(n.t, json.Unmarshal([]byte(lines[len(lines)-1]), &sent))
	if sent.Code != 0 {
		n.t.Fatalf("%v: %s", args, sent.RawLog)
	}
	var found struct {
		Result struct {
			Code int
			Log  string
		} `json:"tx_result"`
	}
	n.until("a transaction's block", func() bool { return n.get("tx?hash=0x"+sent.TxHash, &found) })
	if found.Result.Code != 0 {
		n.t.Fatalf("%v: %s", args, found.Result.Log)
	}
}

// halt runs version 1 until it halts for the plan, and stops it. Home and height are those of the halt.
func (n *node) halt(info string) int64 {
	n.t.Helper()
	height := n.schedule(info)
	n.says(fmt.Sprintf(`UPGRADE \"v2\" NEEDED at height: %d`, height))
	n.stop()
	return height
}
