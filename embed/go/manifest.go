package upgrade

import (
	"encoding/binary"
	"slices"
)

const manifestSection = "chain-upgrade.manifest"

// Manifest is what a handler declares: the plan it serves, what it may touch, which layouts it takes. Nothing else
// gives a handler any right.
type Manifest struct {
	ABI uint32
	// Name is the plan's name.
	Name     string
	GasLimit uint64
	// Stores: a guest names a store by its index here.
	Stores        []ManifestStore
	StoreUpgrades StoreUpgrades
	// Versions by module.
	Versions map[string]ModuleVersions
	// Removes are modules that leave the version map.
	Removes []string
	Scans   []ManifestScan
	Allows  Allowances
}

// ManifestStore is a store that the handler may reach.
type ManifestStore struct {
	Name string
	// Writable is access "rw"; else the handler only reads.
	Writable bool
	// Prefixes: keys that may be touched begin with one of these; nil: every key.
	Prefixes [][]byte
}

// ModuleVersions are the layouts of one module.
type ModuleVersions struct {
	// From are the stored versions that the handler takes; nil: the module must not be stored yet.
	From []uint64
	To   uint64
}

// ManifestScan is a part of a store that the host feeds to the handler in batches.
type ManifestScan struct {
	Store string
	// Prefix nil: the whole store.
	Prefix []byte
}

// StoreUpgrades are the changes to the set of stores, for the chain's store loader.
type StoreUpgrades struct {
	Added   []string
	Renamed []StoreRename
	Deleted []string
}

// StoreRename moves all of a store under another name.
type StoreRename struct{ OldKey, NewKey string }

// Allowances are what a handler does on purpose that is a mistake otherwise.
type Allowances struct {
	// DeleteStores are stores that are deleted or renamed although a module that owns them stays.
	DeleteStores []string
	// RemoveModules are modules that are removed although the chain needs them (Input.VitalModules).
	RemoveModules []string
	// WriteStores are stores that are written to although the version of a module that owns them stays.
	WriteStores []string
	// KeepStores are stores that stay although the module that owns them is removed.
	KeepStores []string
	// EmptyVersionMap: it may run where no module versions are stored.
	EmptyVersionMap bool
}

// ParseManifest reads the payload of the custom section chain-upgrade.manifest. It fails with UPG_HANDLER_MANIFEST, the
// path in the JSON in the message and in Details["path"].
func ParseManifest(payload []byte) (Manifest, error) {
	// A longer one is refused by its length.
	payload = payload[:min(len(payload), manifestBytesMax+1)]
	content := slices.Concat(binary.AppendUvarint(nil, uint64(len(manifestSection))), []byte(manifestSection), payload)
	file := binary.AppendUvarint([]byte("\x00asm\x01\x00\x00\x00\x00"), uint64(len(content)))
	checked, err := checkFile(append(file, content...), false)
	if err != nil {
		return Manifest{}, err
	}
	// What else is wrong is wrong with this file, which has nothing but the manifest.
	for _, found := range checked.findings {
		if found.code == CodeHandlerManifest {
			found.offset = nil
			return Manifest{}, checked.failureOf(found)
		}
	}
	return *checked.manifest, nil
}
