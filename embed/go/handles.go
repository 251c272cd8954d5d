package upgrade

import (
	"bytes"
	"slices"
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

const shownKeyBytesMax = 16

// storeHandle is what a handler can reach of one store of its manifest. Every key passes here.
type storeHandle struct {
	ManifestStore
	overlay                 *overlayStore
	written, deleted, bytes uint64
}

// requireKey ends the run unless the key begins with a prefix that the manifest gives.
func (h *storeHandle) requireKey(key []byte) error {
	if h.Prefixes == nil || h.coveringPrefix(key) != nil {
		return nil
	}
	return trap(`key %s lies outside the prefixes that the manifest gives of store "%s"`, shownKey(key), h.Name)
}

// requireRange: a range must lie inside what one prefix covers. It is never clipped: a shorter result would look like an
// empty store.
func (h *storeHandle) requireRange(start, end []byte) error {
	if err := h.requireKey(start); err != nil {
		return err
	}
	prefix := h.coveringPrefix(start)
	limit := prefixEnd(prefix)
	if limit != nil && (len(end) == 0 || bytes.Compare(end, limit) > 0) {
		return trap(`a scan of store "%s" runs past the prefix %x: end it at %x`, h.Name, prefix, limit)
	}
	return nil
}

func (h *storeHandle) coveringPrefix(key []byte) []byte {
	for _, prefix := range h.Prefixes {
		if bytes.HasPrefix(key, prefix) {
			return prefix
		}
	}
	return nil
}

func (h *storeHandle) put(key, value []byte) error {
	h.written++
	h.bytes += uint64(len(key) + len(value))
	return h.overlay.put(key, value)
}

func (h *storeHandle) delete(key []byte) error {
	h.deleted++
	h.bytes += uint64(len(key))
	return h.overlay.delete(key)
}

// storeHandles are the stores of a manifest, by index. There is no other way to a store.
type storeHandles struct {
	list []*storeHandle
	gas  *gasCounter
	// mayWrite: writes belong to the calls that migrate.
	mayWrite bool
	writes   int
}

// newHandles fails with UPG_HANDLER_LAYOUT when a store of the manifest is absent.
func newHandles(manifest *Manifest, stores Stores, space *sorted.Space, gas *gasCounter) (*storeHandles, error) {
	handles := &storeHandles{gas: gas}
	for _, entry := range manifest.Stores {
		base := stores[entry.Name]
		if base == nil {
			return nil, newError(CodeHandlerLayout, `the handler of plan "%s" wants store "%s", which is absent; there are %s`,
				manifest.Name, entry.Name, storeNames(stores)).with("plan", manifest.Name).with("store", entry.Name)
		}
		overlay := &overlayStore{name: entry.Name, base: base, writes: space.NewWrites()}
		handles.list = append(handles.list, &storeHandle{ManifestStore: entry, overlay: overlay})
	}
	return handles, nil
}

func storeNames(stores Stores) string {
	var names []string
	for name, store := range stores {
		if store != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (h *storeHandles) readable(index uint32) (*storeHandle, error) {
	if int64(index) >= int64(len(h.list)) {
		return nil, trap("there is no store %d: the manifest lists %d", index, len(h.list))
	}
	return h.list[index], nil
}

func (h *storeHandles) writable(index uint32) (*storeHandle, error) {
	handle, err := h.readable(index)
	if err != nil {
		return nil, err
	}
	if !handle.Writable {
		return nil, trap(`a write to store "%s", which the manifest gives for reading`, handle.Name)
	}
	if !h.mayWrite {
		return nil, trap(`a write to store "%s" outside handler_run and handler_batch`, handle.Name)
	}
	return handle, nil
}

// nextWritePrice is what the next write costs, besides its bytes.
func (h *storeHandles) nextWritePrice(isDelete bool) int64 {
	price := int64(pricePut)
	if isDelete {
		price = priceDelete
	}
	h.writes++
	if h.writes <= writesAlone {
		price += priceWriteAlone
	}
	return price
}

// byName returns the handle of a store that the manifest lists, else nil.
func (h *storeHandles) byName(name string) *storeHandle {
	for _, handle := range h.list {
		if handle.Name == name {
			return handle
		}
	}
	return nil
}

// sorted returns the stores that the handler may write, ascending by name.
func (h *storeHandles) sorted() []*storeHandle {
	writable := slices.DeleteFunc(slices.Clone(h.list), func(handle *storeHandle) bool { return !handle.Writable })
	slices.SortFunc(writable, func(a, b *storeHandle) int { return strings.Compare(a.Name, b.Name) })
	return writable
}
