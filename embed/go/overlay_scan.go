package upgrade

import (
	"bytes"
	"encoding/binary"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

// overlayScan merges a store's pairs with the writes over them, ascending, and hands out whole frames.
type overlayScan struct {
	base  *heldIterator
	above *sorted.Cursor
	end   []byte
	// isDone: there is nothing in the range.
	isDone bool

	written             sorted.Pair
	hasBase, hasWritten bool
	stepBase, stepAbove bool
	key, value          []byte
	hasPair             bool

	// passed are the keys that the run deleted and that the walk went by so far, passedBytes their bytes.
	passed, passedBytes int64
	// pairs of the last read.
	pairs int64
}

// read fills room with as many whole frames as fit. needed is above 0 when not even the first one does: its size.
func (s *overlayScan) read(room []byte) (filled, needed int, err error) {
	s.pairs = 0
	for {
		more, err := s.peek()
		if err != nil || !more {
			return filled, 0, err
		}
		size := frameHeaderBytes + len(s.key) + len(s.value)
		if filled+size > len(room) {
			if filled == 0 {
				return 0, size, nil
			}
			return filled, 0, nil
		}
		appendFrame(room[filled:filled], s.key, s.value)
		filled += size
		s.pairs++
		s.hasPair = false
	}
}

// appendFrame: u32 klen, u32 vlen, key, value.
func appendFrame(to, key, value []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(key)))
	to = binary.LittleEndian.AppendUint32(to, uint32(len(value)))
	to = append(to, key...)
	return append(to, value...)
}

// peek looks at the next pair without going past it.
func (s *overlayScan) peek() (bool, error) {
	for !s.hasPair && !s.isDone {
		if err := s.step(); err != nil {
			return false, err
		}
	}
	return s.hasPair, nil
}

// step goes to the next key of either side.
func (s *overlayScan) step() error {
	if err := s.advance(); err != nil {
		return err
	}
	if !s.hasBase && !s.hasWritten {
		s.isDone = true
		return nil
	}
	order := s.order()
	s.stepBase, s.stepAbove = order <= 0, order >= 0
	switch {
	case order < 0:
		s.key, s.value, s.hasPair = s.base.key, s.base.value, true
	case !s.written.Deleted:
		s.key, s.value, s.hasPair = s.written.Key, s.written.Value, true
	default:
		s.passed++
		s.passedBytes += int64(len(s.written.Key))
	}
	return nil
}

// advance moves past what was shown last.
func (s *overlayScan) advance() (err error) {
	if s.stepBase {
		s.stepBase = false
		if s.hasBase, err = s.base.next(); err != nil {
			return err
		}
	}
	if !s.stepAbove {
		return nil
	}
	s.stepAbove = false
	s.written, s.hasWritten, err = s.above.Next()
	if s.hasWritten && len(s.end) > 0 && bytes.Compare(s.written.Key, s.end) >= 0 {
		s.hasWritten = false
	}
	return spillError(err)
}

// order is below 0 when the store's pair comes next, 0 when a write replaces it.
func (s *overlayScan) order() int {
	switch {
	case !s.hasBase:
		return 1
	case !s.hasWritten:
		return -1
	}
	return bytes.Compare(s.base.key, s.written.Key)
}

func (s *overlayScan) close() error {
	if s.base == nil {
		return nil
	}
	return s.base.close()
}

// closeInto is for a defer: the first failure counts.
func (s *overlayScan) closeInto(err *error) {
	if failure := s.close(); *err == nil {
		*err = failure
	}
}
