package sorted

// Writes are those to one store: sorted in memory, and in the runs that were spilled before, of which a later one
// counts more.
type Writes struct {
	space  *Space
	memory int64
	latest *Map
	runs   []*run
}

// NewWrites returns empty writes whose memory and files are the space's.
func (s *Space) NewWrites() *Writes {
	w := &Writes{space: s, latest: NewMap()}
	s.all = append(s.all, w)
	return w
}

// IsEmpty reports whether nothing was written.
func (w *Writes) IsEmpty() bool { return w.latest.Len() == 0 && len(w.runs) == 0 }

// Put writes a pair, or a deletion, and may spill. Key and value are copied.
func (w *Writes) Put(key, value []byte, deleted bool) error {
	w.latest.Put(key, value, deleted)
	if w.latest.isFull() {
		if err := w.spill(); err != nil {
			return err
		}
	}
	return w.account()
}

func (w *Writes) account() error {
	before := w.memory
	w.memory = w.latest.Bytes()
	if w.memory == before {
		return nil
	}
	return w.space.grew(w.memory - before)
}

// Find returns the last write to a key. Its bytes are good until the next call.
func (w *Writes) Find(key []byte) (Pair, bool, error) {
	if pair, ok := w.latest.Find(key); ok {
		return pair, true, nil
	}
	for i := len(w.runs) - 1; i >= 0; i-- {
		if pair, ok, err := w.runs[i].find(key); ok || err != nil {
			return pair, ok, err
		}
	}
	return Pair{}, false, nil
}

// From walks the writes from the first key that is not before start; nil: all of them.
func (w *Writes) From(start []byte) (*Cursor, error) {
	walkers := []walker{w.latest.from(start)}
	for i := len(w.runs) - 1; i >= 0; i-- {
		walk, err := w.runs[i].from(start)
		if err != nil {
			return nil, err
		}
		walkers = append(walkers, walk)
	}
	return newCursor(walkers)
}

// spill moves what is in memory to a run of its own, and merges runs so that a byte is moved once each time those after
// its own have become as many bytes: there are few runs to read, however much is written.
func (w *Writes) spill() error {
	next, err := w.write([]walker{w.latest.from(nil)})
	if err != nil {
		return err
	}
	w.runs = append(w.runs, next)
	w.space.memory -= w.memory
	w.memory = 0
	w.latest = NewMap()
	return w.merge()
}

func (w *Writes) merge() error {
	from := len(w.runs) - 1
	for size := w.runs[from].size; from > 0 && w.runs[from-1].size <= 2*size; from-- {
		size += w.runs[from-1].size
	}
	if from == len(w.runs)-1 {
		return nil
	}
	var walkers []walker
	for i := len(w.runs) - 1; i >= from; i-- {
		walk, err := w.runs[i].from(nil)
		if err != nil {
			return err
		}
		walkers = append(walkers, walk)
	}
	merged, err := w.write(walkers)
	if err != nil {
		return err
	}
	for _, old := range w.runs[from:] {
		w.space.dropRun(old)
	}
	w.runs = append(w.runs[:from], merged)
	return nil
}

func (w *Writes) write(walkers []walker) (*run, error) {
	cursor, err := newCursor(walkers)
	if err != nil {
		return nil, err
	}
	out, err := newRunWriter(w.space)
	if err != nil {
		return nil, err
	}
	for {
		pair, ok, err := cursor.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return out.finish()
		}
		if err := out.add(pair); err != nil {
			return nil, err
		}
	}
}
