package upgrade

import (
	"encoding/binary"
	"fmt"
)

const keyLengthMask = 0xff_ffff

// outputFrame is a write that a guest framed: u32 op << 30 | store << 24 | klen, for a put u32 vlen, key, value.
type outputFrame struct {
	store      uint32
	isDelete   bool
	key, value []byte
	size       int
}

// applyFrames writes frames one after the other: a frame's form, its store, its right and its key's prefix are checked
// (a trap), then it is paid for, then it is written. Its bytes were paid for where they crossed.
func (h *storeHandles) applyFrames(frames []byte) error {
	for at := 0; at < len(frames); {
		frame, problem := readOutputFrame(frames[at:])
		if problem != "" {
			return trap("malformed frame at byte %d: %s", at, problem)
		}
		if err := h.applyFrame(frame); err != nil {
			return err
		}
		at += frame.size
	}
	return nil
}

func (h *storeHandles) applyFrame(frame outputFrame) error {
	handle, err := h.writable(frame.store)
	if err != nil {
		return err
	}
	if err := handle.requireKey(frame.key); err != nil {
		return err
	}
	price := h.nextWritePrice(frame.isDelete) + longPrice(len(frame.key)) + longPrice(len(frame.value))
	if err := h.gas.charge(price, "framed writes"); err != nil {
		return err
	}
	if frame.isDelete {
		return handle.delete(frame.key)
	}
	return handle.put(frame.key, frame.value)
}

func readOutputFrame(bytes []byte) (frame outputFrame, problem string) {
	if len(bytes) < 4 {
		return frame, "header cut short"
	}
	head := binary.LittleEndian.Uint32(bytes)
	op, keyLength := head>>30, int(head&keyLengthMask)
	frame.store, frame.isDelete = head>>24&63, op == 1
	switch {
	case op > 1:
		return frame, fmt.Sprintf("unknown operation %d", op)
	case keyLength == 0 || keyLength > keyBytesMax:
		return frame, fmt.Sprintf("key of %d bytes", keyLength)
	case !frame.isDelete && len(bytes) < frameHeaderBytes:
		return frame, "header cut short"
	}
	keyAt, valueLength := 4, 0
	if !frame.isDelete {
		keyAt = frameHeaderBytes
		length := binary.LittleEndian.Uint32(bytes[4:])
		if length > valueBytesMax {
			return frame, fmt.Sprintf("value of %d bytes", length)
		}
		valueLength = int(length)
	}
	frame.size = keyAt + keyLength + valueLength
	if frame.size > len(bytes) {
		return frame, "frame is longer than its buffer"
	}
	frame.key = bytes[keyAt : keyAt+keyLength]
	frame.value = bytes[keyAt+keyLength : frame.size]
	return frame, ""
}
