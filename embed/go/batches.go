package upgrade

import "encoding/binary"

// Frames are read ahead by so many batches.
const batchesAhead = 4

// scanBatches cuts a scan of the manifest into batches: whole frames, as many as fit, a larger frame alone. What a guest
// did not consume begins the next batch. Where batches end is part of consensus.
type scanBatches struct {
	iterator   *heldIterator
	batchBytes int
	// bytes from start on are the frames that were read and not consumed.
	bytes      []byte
	start, end int
	// consumed pairs of the scan.
	consumed int64
	// isLast: no frame of the scan lies beyond the batch.
	isLast  bool
	isEnded bool
}

func newBatches(store *overlayStore, prefix []byte, bytes int) (*scanBatches, error) {
	iterator, err := iterate(store.name, store.base, prefix, prefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	return &scanBatches{iterator: iterator, batchBytes: bytes}, nil
}

func (b *scanBatches) isDone() bool { return b.isEnded && b.start == len(b.bytes) }

// pack finds the frames of the next batch.
func (b *scanBatches) pack() error {
	length := 0
	for {
		for b.start+length < len(b.bytes) {
			size := frameSize(b.bytes[b.start+length:])
			if length > 0 && length+size > b.batchBytes {
				b.end, b.isLast = b.start+length, false
				return nil
			}
			length += size
		}
		if b.isEnded {
			b.end, b.isLast = b.start+length, true
			return nil
		}
		if err := b.readMore(); err != nil {
			return err
		}
	}
}

// readMore reads at least one pair more, or finds the end.
func (b *scanBatches) readMore() error {
	kept := copy(b.bytes, b.bytes[b.start:])
	b.bytes, b.start = b.bytes[:kept], 0
	for {
		more, err := b.iterator.next()
		if err != nil {
			return err
		}
		if !more {
			b.isEnded = true
			return nil
		}
		b.bytes = appendFrame(b.bytes, b.iterator.key, b.iterator.value)
		if len(b.bytes) >= batchesAhead*b.batchBytes {
			return nil
		}
	}
}

// frames of the batch.
func (b *scanBatches) frames() []byte { return b.bytes[b.start:b.end] }

// consume takes bytes off the front. False, and nothing happens, when they do not end where a frame of the batch does.
func (b *scanBatches) consume(count int) bool {
	at, stop, pairs := b.start, b.start+count, int64(0)
	for at < stop && at < b.end {
		at += frameSize(b.bytes[at:])
		pairs++
	}
	if at != stop {
		return false
	}
	b.start = stop
	b.consumed += pairs
	return true
}

func frameSize(frame []byte) int {
	return frameHeaderBytes + int(binary.LittleEndian.Uint32(frame)) + int(binary.LittleEndian.Uint32(frame[4:]))
}

// countFrames of a run of whole ones.
func countFrames(frames []byte) int64 {
	count := int64(0)
	for ; len(frames) > 0; count++ {
		frames = frames[frameSize(frames):]
	}
	return count
}
