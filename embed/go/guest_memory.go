package upgrade

import "github.com/tetratelabs/wazero/api"

// guestMemory is the guest's linear memory as the host may touch it: every range is checked before it is used. Views are
// good until the guest runs again.
type guestMemory struct{ memory api.Memory }

func (m guestMemory) view(pointer, length uint32, what string) ([]byte, error) {
	bytes, ok := m.memory.Read(pointer, length)
	if !ok {
		return nil, trap("%s: bytes %d to %d lie outside the memory of %d bytes", what, pointer,
			uint64(pointer)+uint64(length), m.memory.Size())
	}
	return bytes, nil
}

// bounded is view for what has a greatest length.
func (m guestMemory) bounded(pointer, length uint32, what string, lengthMax uint32) ([]byte, error) {
	if length > lengthMax {
		return nil, trap("%s of %d bytes, at most %d are allowed", what, length, lengthMax)
	}
	return m.view(pointer, length, what)
}

func (m guestMemory) all() []byte {
	bytes, _ := m.memory.Read(0, m.memory.Size())
	return bytes
}

// pages is 0 before there is a guest.
func (m guestMemory) pages() uint32 {
	if m.memory == nil {
		return 0
	}
	return m.memory.Size() / pageBytes
}
