package upgrade

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wire"
)

// VersionMap is the consensus version of each module, by name.
type VersionMap map[string]uint64

// Names returns the modules, ascending.
func (versions VersionMap) Names() []string {
	names := make([]string, 0, len(versions))
	for name := range versions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Encode returns the form that core and handlers share: names strictly ascending by bytes.
func (versions VersionMap) Encode() []byte {
	var out wire.Writer
	for _, name := range versions.Names() {
		var entry wire.Writer
		out.Message(1, entry.String(1, name).Int(2, versions[name]).Bytes())
	}
	return out.Bytes()
}

// DecodeVersionMap reads what Encode and the core write, and nothing else. It fails with UPG_INVALID_VERSION_MAP.
func DecodeVersionMap(encoded []byte) (VersionMap, error) {
	versions, problem := readVersionMap(encoded, nil)
	if problem != "" {
		return nil, newError(CodeInvalidVersionMap, "version map: %s", problem)
	}
	return versions, nil
}

// readVersionMap asks checkEntry about each module before it is taken: what is wrong with it, or "".
func readVersionMap(encoded []byte, checkEntry func(name string, taken int) string) (VersionMap, string) {
	entries, err := wire.Read(encoded, wire.Bytes)
	if err != nil {
		return nil, err.Error()
	}
	versions := make(VersionMap, len(entries))
	last := ""
	for _, entry := range entries {
		name, version, problem := readModuleVersion(entry.Bytes)
		if problem == "" && checkEntry != nil {
			problem = checkEntry(name, len(versions))
		}
		if problem != "" {
			return nil, problem
		}
		if len(versions) > 0 && last >= name {
			return nil, fmt.Sprintf("%q is not in ascending order of names", name)
		}
		versions[name] = version
		last = name
	}
	return versions, ""
}

func readModuleVersion(entry []byte) (name string, version uint64, problem string) {
	fields, err := wire.ReadOnce(entry, wire.Bytes, wire.Varint)
	if err != nil {
		return "", 0, err.Error()
	}
	if fields[0] != nil {
		name = string(fields[0].Bytes)
	}
	if !utf8.ValidString(name) {
		return "", 0, "a name is not UTF-8"
	}
	if fields[1] != nil {
		version = fields[1].Value
	}
	return name, version, ""
}

// encodeNames: each name once, in ascending byte order, as the core demands.
func encodeNames(names []string) []byte {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	var out wire.Writer
	for _, name := range slices.Compact(sorted) {
		out.Message(1, []byte(name))
	}
	return out.Bytes()
}
