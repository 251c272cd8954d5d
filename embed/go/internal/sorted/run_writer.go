package sorted

import (
	"hash/crc32"
	"slices"
)

// runWriter writes pairs, which come in ascending order, to a new run.
type runWriter struct {
	space  *Space
	run    *run
	buffer []byte
}

func newRunWriter(space *Space) (*runWriter, error) {
	file, err := space.newFile()
	if err != nil {
		return nil, err
	}
	return &runWriter{space: space, run: &run{file: file, readAt: -1}}, nil
}

func (w *runWriter) add(pair Pair) error {
	if len(w.buffer) == 0 {
		w.begin(pair.Key)
	}
	w.buffer = appendRecord(w.buffer, pair.Key, pair.Value, pair.Deleted)
	if len(w.buffer) < blockSize {
		return nil
	}
	return w.flush()
}

func (w *runWriter) begin(key []byte) {
	next := block{at: w.run.size, isFar: len(key) > indexKeyMax}
	if !next.isFar {
		next.key = slices.Clone(key)
	}
	w.run.blocks = append(w.run.blocks, next)
}

func (w *runWriter) flush() error {
	size := int64(len(w.buffer))
	if err := w.space.takeDisk(size); err != nil {
		return err
	}
	if _, err := w.run.file.WriteAt(w.buffer, w.run.size); err != nil {
		return err
	}
	w.run.blocks[len(w.run.blocks)-1].sum = crc32.Checksum(w.buffer, sums)
	w.run.size += size
	w.buffer = w.buffer[:0]
	return nil
}

// finish returns the run. After a failure the space still removes its file.
func (w *runWriter) finish() (*run, error) {
	if len(w.buffer) == 0 {
		return w.run, nil
	}
	return w.run, w.flush()
}
