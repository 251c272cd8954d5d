package upgrade

import (
	"time"
	"unicode/utf8"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wire"
)

// The messages between host and handler, protobuf: UpgradeContext, VersionMap and CheckResults of docs/abi.md.

func encodeContext(input *Input) []byte {
	plan := input.PlanBytes
	if plan == nil {
		plan = input.Plan.encode()
	}
	var out wire.Writer
	return out.String(1, input.ChainID).
		Int(2, uint64(input.Height)).
		Message(3, encodeTime(input.Time)).
		Message(4, plan).
		Message(5, input.Versions.Encode()).
		Bytes()
}

func encodeTime(at time.Time) []byte {
	var out wire.Writer
	return out.Int(1, uint64(at.Unix())).Int(2, uint64(at.Nanosecond())).Bytes()
}

// encode is the plan as the chain stores it: the core's plan_encode, for plans that the core takes.
func (plan Plan) encode() []byte {
	var out wire.Writer
	return out.String(1, plan.Name).
		Message(2, encodeTime(plan.Time)).
		Int(3, uint64(plan.Height)).
		String(4, plan.Info).
		Bytes()
}

// decodeReturnedVersions reads what handler_run returned.
func decodeReturnedVersions(encoded []byte) (VersionMap, error) {
	versions, problem := readVersionMap(encoded, func(name string, taken int) string {
		if problem := nameProblem(name, moduleNameBytesMax); problem != "" {
			return "a module's name " + problem
		}
		if taken == versionMapModulesMax {
			return "more than 1024 modules"
		}
		return ""
	})
	if problem != "" {
		return nil, newError(CodeMigrationVersionMap, "handler_run returned no version map: %s", problem)
	}
	return versions, nil
}

// decodeChecks reads what handler_check returned. Names are unique, for people and for the receipt.
func decodeChecks(encoded []byte) ([]Check, error) {
	entries, err := wire.Read(encoded, wire.Bytes)
	if err != nil {
		return nil, noChecks(err.Error())
	}
	var checks []Check
	seen := map[string]bool{}
	for _, entry := range entries {
		check, problem := readCheck(entry.Bytes)
		switch {
		case problem != "":
		case seen[check.Name]:
			problem = `two checks are named "` + check.Name + `"`
		case len(checks) == checksMax:
			problem = "more than 256 checks"
		}
		if problem != "" {
			return nil, noChecks(problem)
		}
		seen[check.Name] = true
		checks = append(checks, check)
	}
	return checks, nil
}

func noChecks(problem string) error {
	return trap("handler_check returned no check results: %s", problem)
}

func readCheck(entry []byte) (check Check, problem string) {
	fields, err := wire.ReadOnce(entry, wire.Bytes, wire.Varint, wire.Bytes)
	if err != nil {
		return check, err.Error()
	}
	if fields[0] != nil {
		check.Name = string(fields[0].Bytes)
	}
	if !utf8.ValidString(check.Name) {
		return check, "a name is not UTF-8"
	}
	if problem := nameProblem(check.Name, checkNameMax); problem != "" {
		return check, "a check's name " + problem
	}
	check.Ok = fields[1] != nil && fields[1].Value != 0
	if fields[2] != nil {
		check.Message = guesttext.Text(fields[2].Bytes, checkMessageMax)
	}
	return check, ""
}
