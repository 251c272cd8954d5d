package upgrade

import (
	"bytes"
	"math"
)

// Where a scan goes on after the longest key.
const rangeBoundBytesMax = keyBytesMax + 1

func negative(code int) uint64 { return uint64(uint32(-int32(code))) }

func (s *session) storeGet(stack []uint64) error {
	if err := s.gas.charge(priceGet, "store_get"); err != nil {
		return err
	}
	handle, err := s.handles.readable(uint32(stack[0]))
	if err != nil {
		return err
	}
	key, err := s.key(handle, uint32(stack[1]), uint32(stack[2]))
	if err != nil {
		return err
	}
	room, err := s.memory.view(uint32(stack[3]), uint32(stack[4]), "out of store_get")
	if err != nil {
		return err
	}
	value, ok, err := handle.overlay.get(key)
	if err != nil {
		return err
	}
	if !ok {
		stack[0] = negative(absent)
		return nil
	}
	if err := s.gas.chargeBytes(len(value), "store_get"); err != nil {
		return err
	}
	if len(value) <= len(room) {
		copy(room, value)
	}
	stack[0] = uint64(uint32(len(value)))
	return nil
}

func (s *session) storeSet(stack []uint64) error {
	if err := s.gas.charge(s.handles.nextWritePrice(false), "store_set"); err != nil {
		return err
	}
	handle, err := s.handles.writable(uint32(stack[0]))
	if err != nil {
		return err
	}
	key, err := s.key(handle, uint32(stack[1]), uint32(stack[2]))
	if err != nil {
		return err
	}
	value, err := s.memory.bounded(uint32(stack[3]), uint32(stack[4]), "a value", valueBytesMax)
	if err != nil {
		return err
	}
	if err := s.gas.chargeBytes(len(value), "store_set"); err != nil {
		return err
	}
	if err := s.gas.charge(longPrice(len(value)), "store_set"); err != nil {
		return err
	}
	stack[0] = 0
	return handle.put(key, value)
}

func (s *session) storeDelete(stack []uint64) error {
	if err := s.gas.charge(s.handles.nextWritePrice(true), "store_delete"); err != nil {
		return err
	}
	handle, err := s.handles.writable(uint32(stack[0]))
	if err != nil {
		return err
	}
	key, err := s.key(handle, uint32(stack[1]), uint32(stack[2]))
	if err != nil {
		return err
	}
	stack[0] = 0
	return handle.delete(key)
}

func (s *session) storeWrite(stack []uint64) error {
	if err := s.gas.charge(priceStoreWrite, "store_write"); err != nil {
		return err
	}
	frames, err := s.memory.view(uint32(stack[0]), uint32(stack[1]), "ops of store_write")
	if err != nil {
		return err
	}
	if err := s.gas.chargeBytes(len(frames), "store_write"); err != nil {
		return err
	}
	stack[0] = 0
	return s.handles.applyFrames(frames)
}

// key is a view of the guest's memory: what keeps it copies it.
func (s *session) key(handle *storeHandle, pointer, length uint32) ([]byte, error) {
	if length == 0 {
		return nil, trap("an empty key")
	}
	key, err := s.memory.bounded(pointer, length, "a key", keyBytesMax)
	if err != nil {
		return nil, err
	}
	if err := s.gas.chargeBytes(len(key), "a key"); err != nil {
		return nil, err
	}
	if err := s.gas.charge(longPrice(len(key)), "a key"); err != nil {
		return nil, err
	}
	return key, handle.requireKey(key)
}

func (s *session) storeScan(stack []uint64) error {
	if err := s.gas.charge(priceScan, "store_scan"); err != nil {
		return err
	}
	start, err := s.memory.bounded(uint32(stack[1]), uint32(stack[2]), "the start of a scan", rangeBoundBytesMax)
	if err != nil {
		return err
	}
	end, err := s.memory.bounded(uint32(stack[3]), uint32(stack[4]), "the end of a scan", rangeBoundBytesMax)
	if err != nil {
		return err
	}
	if err := s.gas.chargeBytes(len(start)+len(end), "store_scan"); err != nil {
		return err
	}
	room, err := s.memory.view(uint32(stack[5]), uint32(stack[6]), "out of store_scan")
	if err != nil {
		return err
	}
	handle, err := s.handles.readable(uint32(stack[0]))
	if err != nil {
		return err
	}
	// Copies: the room may overlap them.
	start, end = bytes.Clone(start), bytes.Clone(end)
	if err := handle.requireRange(start, end); err != nil {
		return err
	}
	filled, err := s.fill(handle, start, end, room)
	stack[0] = uint64(uint32(filled))
	return err
}

// fill writes whole frames to the room by parts, each paid for before the next is read: so little is read that cannot be
// paid, whatever the room. More than the room: what the first frame needs.
func (s *session) fill(handle *storeHandle, start, end, room []byte) (length int, err error) {
	scan, err := handle.overlay.scan(start, end)
	if err != nil {
		return 0, err
	}
	defer scan.closeInto(&err)
	filled, part, paid := 0, batchBytes, int64(0)
	for {
		until := min(filled+part, len(room))
		read, needed, err := scan.read(room[filled:until])
		if err != nil {
			return 0, err
		}
		// Else a handler that deleted much could make the host walk over it again and again for the price of a call.
		passed := scan.passed*priceScanPassed + scan.passedBytes*priceScanPassedByte
		if err := s.gas.charge(passed-paid, "store_scan"); err != nil {
			return 0, err
		}
		paid = passed
		if needed > 0 && filled+needed > len(room) {
			if filled > 0 {
				return filled, nil
			}
			return min(needed, math.MaxInt32), nil
		}
		if read == 0 && needed == 0 {
			return filled, nil
		}
		if read > 0 {
			if err := s.gas.charge(scan.pairs*priceScanPair+int64(read)*priceByte, "store_scan"); err != nil {
				return 0, err
			}
			if until == len(room) {
				return filled + read, nil
			}
		}
		filled += read
		part = max(needed, batchBytes)
	}
}
