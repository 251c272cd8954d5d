package upgrade

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

const placeKeyBytesMax = 256

// place is where a run is: which call, which scan of which store, and which pair is next. For the record of its failure.
type place struct {
	// phase in words.
	phase string
	// isScan: what follows counts.
	isScan bool
	scan   int
	store  string
	// memoryBefore is how many bytes the guest's memory had when the scan began.
	memoryBefore int64
	// pairs of the scan that the guest consumed before this batch.
	pairs int64
	// key of the first pair that it has not consumed, as much of it as is shown: the batch lies where the next is read to.
	key []byte
	// keyLength of all of it; 0: the batch has no pairs.
	keyLength int
}

func (p *place) at(phase string) { *p = place{phase: phase, key: p.key[:0]} }

func (p *place) atScan(scan int, store string, memoryPages uint32) {
	p.at(fmt.Sprintf(`scan %d of store "%s"`, scan, store))
	p.isScan, p.scan, p.store, p.memoryBefore = true, scan, store, int64(memoryPages)*pageBytes
}

func (p *place) atBatch(batches *scanBatches) {
	p.pairs, p.key, p.keyLength = batches.consumed, p.key[:0], 0
	if frames := batches.frames(); len(frames) > 0 {
		p.keyLength = int(binary.LittleEndian.Uint32(frames))
		p.key = append(p.key, frames[frameHeaderBytes:][:min(p.keyLength, placeKeyBytesMax)]...)
	}
}

// describe adds the place to an error, which may know better itself.
func (p *place) describe(failure *Error, memoryPages uint32) {
	failure.orWith("phase", p.phase).orWith("memory", strconv.FormatInt(int64(memoryPages)*pageBytes, 10))
	if !p.isScan {
		return
	}
	failure.orWith("scan", strconv.Itoa(p.scan)).orWith("store", p.store).orWith("pairs", strconv.FormatInt(p.pairs, 10)).
		orWith("memory_before", strconv.FormatInt(p.memoryBefore, 10))
	if p.keyLength > 0 {
		failure.orWith("key", p.shownKey())
	}
}

func (p *place) shownKey() string {
	shown := hex.EncodeToString(p.key)
	if len(p.key) < p.keyLength {
		shown += "…"
	}
	return shown
}
