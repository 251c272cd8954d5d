package sorted

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"sort"
)

const (
	// A block is read as a whole to find a key; it ends with the record that fills it.
	blockSize = 16 << 10
	// Longer keys are not kept in memory but read from the file.
	indexKeyMax = 128
)

// block of a run: where it begins, and its first key unless that is long.
type block struct {
	at    int64
	key   []byte
	isFar bool
	// sum of its bytes: files of a temporary folder are changed by others sometimes.
	sum uint32
}

var sums = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged: a file does not hold what was written to it.
var ErrDamaged = errors.New("a temporary file of writes was changed")

// run is a sorted file of records.
type run struct {
	file   *os.File
	size   int64
	blocks []block
	// The block that was read last.
	read   []byte
	readAt int
}

func (r *run) end(index int) int64 {
	if index+1 < len(r.blocks) {
		return r.blocks[index+1].at
	}
	return r.size
}

// load reads a block into bytes, which grow as needed.
func (r *run) load(index int, into []byte) ([]byte, error) {
	at := r.blocks[index].at
	size := int(r.end(index) - at)
	if cap(into) < size {
		into = make([]byte, size)
	}
	into = into[:size]
	if _, err := r.file.ReadAt(into, at); err != nil {
		return into, err
	}
	if crc32.Checksum(into, sums) != r.blocks[index].sum {
		return into, ErrDamaged
	}
	return into, nil
}

func (r *run) firstKey(index int) ([]byte, error) {
	if !r.blocks[index].isFar {
		return r.blocks[index].key, nil
	}
	bytes, err := r.load(index, nil)
	if err != nil {
		return nil, err
	}
	return parseRecord(bytes).Key, nil
}

// blockOf returns the last block that begins at or before a key; below 0: the key is before all.
func (r *run) blockOf(key []byte) (int, error) {
	var failure error
	after := sort.Search(len(r.blocks), func(i int) bool {
		first, err := r.firstKey(i)
		if err != nil {
			failure = err
			return true
		}
		return bytes.Compare(first, key) > 0
	})
	return after - 1, failure
}

// find returns the write to a key; its bytes are good until the next find in this run.
func (r *run) find(key []byte) (Pair, bool, error) {
	index, err := r.blockOf(key)
	if err != nil || index < 0 {
		return Pair{}, false, err
	}
	if r.read == nil || r.readAt != index {
		r.readAt = -1
		if r.read, err = r.load(index, r.read); err != nil {
			return Pair{}, false, err
		}
		r.readAt = index
	}
	for rest := r.read; len(rest) > 0; {
		record := parseRecord(rest)
		switch order := bytes.Compare(record.Key, key); {
		case order == 0:
			return record.Pair, true, nil
		case order > 0:
			return Pair{}, false, nil
		}
		rest = rest[record.size:]
	}
	return Pair{}, false, nil
}

type runCursor struct {
	run   *run
	index int
	bytes []byte
	rest  []byte
}

// from begins at the first key that is not before start.
func (r *run) from(start []byte) (*runCursor, error) {
	index, err := r.blockOf(start)
	if err != nil {
		return nil, err
	}
	c := &runCursor{run: r, index: max(index, 0) - 1}
	for {
		rest := c.rest
		pair, ok, err := c.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return c, nil
		}
		if bytes.Compare(pair.Key, start) >= 0 {
			c.unread(rest)
			return c, nil
		}
	}
}

// unread puts back the pair that next returned, when rest is what was left before.
func (c *runCursor) unread(rest []byte) {
	if len(rest) == 0 {
		rest = c.bytes
	}
	c.rest = rest
}

func (c *runCursor) next() (Pair, bool, error) {
	if len(c.rest) == 0 {
		if c.index+1 >= len(c.run.blocks) {
			return Pair{}, false, nil
		}
		c.index++
		var err error
		if c.bytes, err = c.run.load(c.index, c.bytes); err != nil {
			return Pair{}, false, err
		}
		c.rest = c.bytes
	}
	record := parseRecord(c.rest)
	c.rest = c.rest[record.size:]
	return record.Pair, true, nil
}
