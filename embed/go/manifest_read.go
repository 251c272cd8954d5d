package upgrade

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/strictjson"
)

const manifestSection = "chain-upgrade.manifest"

// ParseManifest reads the payload of the custom section chain-upgrade.manifest. It fails with UPG_HANDLER_MANIFEST, the
// path in the JSON in the message and in Details["path"].
func ParseManifest(payload []byte) (Manifest, error) {
	if len(payload) > manifestBytesMax {
		what := fmt.Sprintf("has %d bytes, at most %d are allowed", len(payload), manifestBytesMax)
		return Manifest{}, manifestError(&strictjson.Problem{Path: "$", What: what})
	}
	root, err := strictjson.Parse(payload, jsonNestingMax)
	if err != nil {
		return Manifest{}, manifestError(err)
	}
	r := &manifestReader{}
	manifest := r.manifest(root)
	if r.err == nil {
		r.err = checkManifest(&manifest)
	}
	if r.err != nil {
		return Manifest{}, manifestError(r.err)
	}
	return manifest, nil
}

func manifestError(err error) error {
	problem := &strictjson.Problem{Path: "$", What: err.Error()}
	errors.As(err, &problem)
	return newError(CodeHandlerManifest, "manifest: %s: %s", problem.Path, problem.What).with("path", problem.Path)
}

// manifestReader keeps the first problem; after one, what it returns means nothing.
type manifestReader struct{ err error }

func keep[T any](r *manifestReader, value T, err error) T {
	if r.err == nil {
		r.err = err
	}
	return value
}

func (r *manifestReader) object(field strictjson.Field, required, optional []string) strictjson.Object {
	if r.err != nil {
		return nil
	}
	fields, err := field.Object(required, optional)
	return keep(r, fields, err)
}

func (r *manifestReader) items(field strictjson.Field, max int) []strictjson.Field {
	if r.err != nil {
		return nil
	}
	items, err := field.Items(max)
	return keep(r, items, err)
}

func (r *manifestReader) text(field strictjson.Field) string {
	if r.err != nil {
		return ""
	}
	text, err := field.Text()
	return keep(r, text, err)
}

func (r *manifestReader) wrong(field strictjson.Field, what string) {
	if r.err == nil && what != "" {
		r.err = field.Wrong(what)
	}
}

func list[T any](r *manifestReader, fields []strictjson.Field, read func(strictjson.Field) T) []T {
	var items []T
	for _, field := range fields {
		if r.err == nil {
			items = append(items, read(field))
		}
	}
	return items
}

func (r *manifestReader) manifest(root strictjson.Field) Manifest {
	required := []string{"abi", "name", "gasLimit", "stores", "versions"}
	fields := r.object(root, required, []string{"storeUpgrades", "removes", "scans", "allows"})
	if r.err != nil {
		return Manifest{}
	}
	manifest := Manifest{
		ABI:      r.abi(fields["abi"]),
		Name:     r.name(fields["name"]),
		GasLimit: r.gasLimit(fields["gasLimit"]),
		Stores:   list(r, r.items(fields["stores"], handlerStoresMax), r.store),
	}
	if field, ok := fields["storeUpgrades"]; ok {
		manifest.StoreUpgrades = r.storeUpgrades(field)
	}
	manifest.Versions = r.versions(fields["versions"])
	manifest.Removes = r.optionalNames(fields, "removes", r.name)
	if field, ok := fields["scans"]; ok {
		manifest.Scans = list(r, r.items(field, scansMax), r.scan)
	}
	if field, ok := fields["allows"]; ok {
		manifest.Allows = r.allows(field)
	}
	return manifest
}

func (r *manifestReader) abi(field strictjson.Field) uint32 {
	if r.err != nil {
		return 0
	}
	number, err := field.Integer()
	if keep(r, number, err) != 1 {
		r.wrong(field, fmt.Sprintf("this host speaks interface 1, not %d", number))
	}
	return 1
}

func (r *manifestReader) name(field strictjson.Field) string {
	name := r.text(field)
	r.wrong(field, nameProblem(name, moduleNameBytesMax))
	return name
}

func (r *manifestReader) storeName(field strictjson.Field) string {
	name := r.name(field)
	r.wrong(field, storeNameProblem(name))
	return name
}

func (r *manifestReader) optionalNames(of strictjson.Object, name string, read func(strictjson.Field) string) []string {
	field, ok := of[name]
	if !ok {
		return nil
	}
	return list(r, r.items(field, -1), read)
}

func (r *manifestReader) gasLimit(field strictjson.Field) uint64 {
	if r.err != nil {
		return 0
	}
	limit, err := field.Decimal(gasLimitMax)
	if keep(r, limit, err) == 0 {
		r.wrong(field, "must be at least 1")
	}
	return limit
}

var hexBytes = regexp.MustCompile(`^([0-9a-fA-F]{2})+$`)

func (r *manifestReader) prefix(field strictjson.Field) []byte {
	text := r.text(field)
	switch {
	case text == "":
		r.wrong(field, "is empty; leave it out to mean every key")
	case !hexBytes.MatchString(text):
		r.wrong(field, "must be an even number of hex digits")
	}
	prefix, _ := hex.DecodeString(text)
	return prefix
}

func (r *manifestReader) store(field strictjson.Field) ManifestStore {
	fields := r.object(field, []string{"name", "access"}, []string{"prefixes"})
	access := r.text(fields["access"])
	if access != "r" && access != "rw" {
		r.wrong(fields["access"], `must be "r" or "rw"`)
	}
	store := ManifestStore{Name: r.storeName(fields["name"]), Writable: access == "rw"}
	if listed, ok := fields["prefixes"]; ok {
		store.Prefixes = list(r, r.items(listed, storePrefixMax), r.prefix)
		if len(store.Prefixes) == 0 {
			r.wrong(listed, "is empty; leave it out to mean every key")
		}
	}
	return store
}

func (r *manifestReader) storeUpgrades(field strictjson.Field) StoreUpgrades {
	fields := r.object(field, nil, []string{"added", "renamed", "deleted"})
	var renamed []strictjson.Field
	if listed, ok := fields["renamed"]; ok {
		renamed = r.items(listed, -1)
	}
	return StoreUpgrades{
		Added: r.optionalNames(fields, "added", r.storeName),
		Renamed: list(r, renamed, func(item strictjson.Field) StoreRename {
			keys := r.object(item, []string{"old_key", "new_key"}, nil)
			return StoreRename{OldKey: r.storeName(keys["old_key"]), NewKey: r.storeName(keys["new_key"])}
		}),
		Deleted: r.optionalNames(fields, "deleted", r.storeName),
	}
}

func (r *manifestReader) versions(field strictjson.Field) map[string]ModuleVersions {
	versions := map[string]ModuleVersions{}
	if r.err != nil {
		return versions
	}
	entries, err := field.Entries()
	for _, entry := range keep(r, entries, err) {
		if problem := nameProblem(entry.Name, moduleNameBytesMax); problem != "" {
			r.wrong(entry.Field, "the module's name "+problem)
		}
		versions[entry.Name] = r.moduleVersions(entry.Field)
	}
	return versions
}

func (r *manifestReader) moduleVersions(field strictjson.Field) ModuleVersions {
	fields := r.object(field, []string{"to"}, []string{"from"})
	versions := ModuleVersions{To: r.version(fields["to"])}
	listed, ok := fields["from"]
	if !ok {
		return versions
	}
	for _, item := range r.items(listed, -1) {
		version := r.version(item)
		if version > versions.To {
			r.wrong(item, fmt.Sprintf(`is above "to" (%d); a version never goes down`, versions.To))
		}
		if slices.Contains(versions.From, version) {
			r.wrong(item, "this version is listed twice")
		}
		versions.From = append(versions.From, version)
	}
	if len(versions.From) == 0 {
		r.wrong(listed, "is empty; leave it out for a new module")
	}
	return versions
}

// version of a module. One at the greatest number that can be stored could never be raised again.
func (r *manifestReader) version(field strictjson.Field) uint64 {
	version := r.u64(field)
	if version > moduleVersionMax {
		r.wrong(field, fmt.Sprintf("is %d, a version is at most %d", version, uint64(moduleVersionMax)))
	}
	return version
}

func (r *manifestReader) u64(field strictjson.Field) uint64 {
	if r.err != nil {
		return 0
	}
	value, err := field.U64()
	return keep(r, value, err)
}

func (r *manifestReader) allows(field strictjson.Field) Allowances {
	fields := r.object(field, nil, []string{"deleteStores", "removeModules", "writeStores", "keepStores", "emptyVersionMap"})
	allows := Allowances{
		DeleteStores:  r.optionalNames(fields, "deleteStores", r.name),
		RemoveModules: r.optionalNames(fields, "removeModules", r.name),
		WriteStores:   r.optionalNames(fields, "writeStores", r.name),
		KeepStores:    r.optionalNames(fields, "keepStores", r.name),
	}
	if empty, ok := fields["emptyVersionMap"]; ok && r.err == nil {
		value, err := empty.Boolean()
		allows.EmptyVersionMap = keep(r, value, err)
	}
	return allows
}

func (r *manifestReader) scan(field strictjson.Field) ManifestScan {
	fields := r.object(field, []string{"store"}, []string{"prefix"})
	scan := ManifestScan{}
	prefix, ok := fields["prefix"]
	scan.Store = r.storeName(fields["store"])
	if ok {
		scan.Prefix = r.prefix(prefix)
	}
	return scan
}
