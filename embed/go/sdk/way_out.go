package sdk

import (
	"errors"
	"fmt"
	"strings"

	upgradetypes "cosmossdk.io/x/upgrade/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// withWayOut adds to an error what operators can do about it. FinalizeBlock prints the message in the node's log.
func withWayOut(err error, plan upgradetypes.Plan) error {
	var failed *upgrade.Error
	if !errors.As(err, &failed) {
		return err
	}
	explained := *failed
	explained.Message += ". " + wayOut(failed.Code, plan)
	return &explained
}

func wayOut(code upgrade.Code, plan upgradetypes.Plan) string {
	skip := fmt.Sprintf("start the previous binary with --unsafe-skip-upgrades %d on all nodes, then propose %q again with the hash "+
		"of a repaired handler", plan.Height, plan.Name)
	pinned, _ := PinnedHash(plan.Info)
	switch {
	case code == upgrade.CodeHandlerHash && pinned != "":
		return "Use the file that the plan pins. If that file fails: " + skip
	case code == upgrade.CodeHandlerHash, code == upgrade.CodeInvalidPlanInfo:
		return "To replace the plan: " + skip
	case code == upgrade.CodeInvalidArgument:
		return "Correct it on this node, then start the node again"
	case isLocal(code):
		return "This is a failure of this node, not a result of the upgrade: correct its cause and start the node again"
	case pinned != "":
		return "It fails on every node, and the plan pins this file, so a repaired one is refused: " + skip
	}
	return "It fails on every node: replace the file with a repaired one on all nodes, or " + skip
}

// isLocal reports whether other nodes may succeed where this one failed.
func isLocal(code upgrade.Code) bool {
	return code == upgrade.CodeHandlerEngine || strings.HasPrefix(string(code), "UPG_STORE_")
}
