package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CheckLayout compares what the manifest says about module versions with those that are stored: a module with From must
// be stored at one of these versions, one without must not be stored, other modules are free. It fails with
// UPG_HANDLER_LAYOUT, which names every module that does not fit.
func (manifest *Manifest) CheckLayout(stored VersionMap) error {
	var problems []string
	for _, module := range slices.Sorted(maps.Keys(manifest.Versions)) {
		version, isStored := stored[module]
		if problem := layoutProblem(manifest.Versions[module].From, version, isStored); problem != "" {
			problems = append(problems, module+" "+problem)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return newError(CodeHandlerLayout, `the handler of plan "%s" does not take the stored versions: %s`,
		manifest.Name, strings.Join(problems, "; ")).with("plan", manifest.Name)
}

func layoutProblem(from []uint64, stored uint64, isStored bool) string {
	if from == nil {
		if !isStored {
			return ""
		}
		return fmt.Sprintf("is stored at %d, the handler brings it as new", stored)
	}
	if slices.Contains(from, stored) && isStored {
		return ""
	}
	taken := strings.ReplaceAll(strings.Trim(fmt.Sprint(from), "[]"), " ", " or ")
	if !isStored {
		return "is not stored, the handler takes " + taken
	}
	return fmt.Sprintf("is stored at %d, the handler takes %s", stored, taken)
}

// VersionsAfter returns the stored versions with what the manifest declares: what the chain stores after the upgrade.
func (manifest *Manifest) VersionsAfter(stored VersionMap) VersionMap {
	after := maps.Clone(stored)
	if after == nil {
		after = VersionMap{}
	}
	for module, versions := range manifest.Versions {
		after[module] = versions.To
	}
	for _, module := range manifest.Removes {
		delete(after, module)
	}
	return after
}

// requireDeclared: a map that handler_run returned must equal what the manifest declares.
func (h *Handler) requireDeclared(returned, declared VersionMap) error {
	if returned == nil || maps.Equal(returned, declared) {
		return nil
	}
	return newError(CodeMigrationVersionMap, `handler "%s" (%s) returned another version map than its manifest declares: %s`,
		h.Manifest.Name, h.SHA256[:12], difference(declared, returned))
}

// difference is what is in one map and not in the other, for messages.
func difference(expected, got VersionMap) string {
	all := maps.Clone(expected)
	maps.Copy(all, got)
	var each []string
	for _, module := range all.Names() {
		due, isDue := expected[module]
		is, isGot := got[module]
		if isDue != isGot || due != is {
			each = append(each, fmt.Sprintf("%s expected %s, got %s", module, orNone(due, isDue), orNone(is, isGot)))
		}
	}
	return strings.Join(each, "; ")
}

func orNone(version uint64, ok bool) string {
	if !ok {
		return "none"
	}
	return fmt.Sprint(version)
}
