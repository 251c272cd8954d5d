package upgrade

import (
	"encoding/binary"
	"strings"
)

const (
	lastBatch = 1
	// handler_batch returns u32 consumed, then framed writes.
	consumedBytes = 4
)

// outcome is what the guest returned.
type outcome struct {
	// versions is nil when handler_run returned 0 bytes: those that the manifest declares.
	versions VersionMap
	checks   []Check
}

// steps calls the handler as docs/abi.md orders it: handler_run, each scan to its end, handler_check.
func (s *session) steps() (*outcome, error) {
	if s.has("_initialize") {
		s.place.at("_initialize")
		if _, err := s.call("_initialize"); err != nil {
			return nil, err
		}
	}
	if err := s.askBuffers(); err != nil {
		return nil, err
	}
	context := encodeContext(s.input)
	versions, err := s.migrate(context)
	if err != nil {
		return nil, err
	}
	for index, scan := range s.handler.Manifest.Scans {
		if err := s.scan(scan, index); err != nil {
			return nil, err
		}
	}
	checks, err := s.check(context)
	if err != nil {
		return nil, err
	}
	return &outcome{versions, checks}, nil
}

func (s *session) migrate(context []byte) (VersionMap, error) {
	s.place.at("handler_run")
	if err := s.give(context); err != nil {
		return nil, err
	}
	s.handles.mayWrite = true
	length, err := s.callForLength("handler_run", len(context))
	s.handles.mayWrite = false
	if err != nil || length == 0 {
		return nil, err
	}
	encoded, err := s.output(length, "handler_run")
	if err != nil {
		return nil, err
	}
	return decodeReturnedVersions(encoded)
}

func (s *session) scan(scan ManifestScan, index int) (err error) {
	size := batchBytes
	if s.input.batchBytes > 0 {
		size = s.input.batchBytes
	}
	batches, err := newBatches(s.handles.byName(scan.Store).overlay, scan.Prefix, size)
	if err != nil {
		return err
	}
	defer batches.iterator.closeInto(&err)
	s.place.atScan(index, scan.Store, s.memory.pages())
	for {
		if err := batches.pack(); err != nil {
			return err
		}
		s.place.atBatch(batches)
		if err := s.batch(batches, index); err != nil || batches.isDone() {
			return err
		}
	}
}

func (s *session) batch(batches *scanBatches, index int) error {
	frames := batches.frames()
	// Its bytes are paid for where they cross.
	if err := s.gas.charge(countFrames(frames)*priceScanPair, "a batch"); err != nil {
		return err
	}
	if err := s.give(frames); err != nil {
		return err
	}
	flags := 0
	if batches.isLast {
		flags = lastBatch
	}
	s.handles.mayWrite = true
	defer func() { s.handles.mayWrite = false }()
	length, err := s.callForLength("handler_batch", index, len(frames), flags)
	if err != nil {
		return err
	}
	if length < consumedBytes {
		return trap("handler_batch returned %d bytes, its count alone has 4", length)
	}
	output, err := s.output(length, "handler_batch")
	if err != nil {
		return err
	}
	consumed := binary.LittleEndian.Uint32(output)
	if consumed == 0 && len(frames) > 0 {
		return trap("handler_batch consumed nothing of %d bytes", len(frames))
	}
	if int64(consumed) > int64(len(frames)) || !batches.consume(int(consumed)) {
		return trap("handler_batch consumed %d of %d bytes, which is not where a frame ends", consumed, len(frames))
	}
	return s.handles.applyFrames(output[consumedBytes:])
}

// check: invariants see the same context as handler_run.
func (s *session) check(context []byte) ([]Check, error) {
	if !s.has("handler_check") {
		return nil, nil
	}
	s.place.at("handler_check")
	if err := s.give(context); err != nil {
		return nil, err
	}
	length, err := s.callForLength("handler_check", len(context))
	if err != nil {
		return nil, err
	}
	encoded, err := s.output(length, "handler_check")
	if err != nil {
		return nil, err
	}
	checks, err := decodeChecks(encoded)
	if err != nil {
		return nil, err
	}
	return checks, requireChecks(checks)
}

func requireChecks(checks []Check) error {
	var names, list []string
	for _, check := range checks {
		if check.Ok {
			continue
		}
		names = append(names, check.Name)
		if check.Message == "" {
			list = append(list, check.Name)
		} else {
			list = append(list, check.Name+": "+check.Message)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return newError(CodeMigrationInvariant, "a check of the handler failed: %s", strings.Join(list, "; ")).
		with("checks", strings.Join(names, ","))
}
