package sorted

import "bytes"

// walker walks one layer of writes, ascending.
type walker interface {
	next() (Pair, bool, error)
}

type layer struct {
	walker walker
	pair   Pair
	ok     bool
}

// Cursor walks writes in ascending order; of several to one key it gives the last. It ends with the next write.
type Cursor struct {
	// Latest first: of equal keys the first layer counts.
	layers []layer
	shown  int
}

func newCursor(walkers []walker) (*Cursor, error) {
	c := &Cursor{layers: make([]layer, len(walkers)), shown: -1}
	for i, each := range walkers {
		c.layers[i].walker = each
		if err := c.layers[i].step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (l *layer) step() (err error) {
	l.pair, l.ok, err = l.walker.next()
	return err
}

// Next returns the next write, false at the end. Its bytes are good until Next is called again.
func (c *Cursor) Next() (Pair, bool, error) {
	if err := c.pass(); err != nil {
		return Pair{}, false, err
	}
	for i := range c.layers {
		l := &c.layers[i]
		if l.ok && (c.shown < 0 || bytes.Compare(l.pair.Key, c.layers[c.shown].pair.Key) < 0) {
			c.shown = i
		}
	}
	if c.shown < 0 {
		return Pair{}, false, nil
	}
	return c.layers[c.shown].pair, true, nil
}

// pass moves every layer past the key that was shown last.
func (c *Cursor) pass() error {
	if c.shown < 0 {
		return nil
	}
	shown := c.layers[c.shown].pair.Key
	for i := range c.layers {
		l := &c.layers[i]
		if i == c.shown || !l.ok || !bytes.Equal(l.pair.Key, shown) {
			continue
		}
		if err := l.step(); err != nil {
			return err
		}
	}
	err := c.layers[c.shown].step()
	c.shown = -1
	return err
}
