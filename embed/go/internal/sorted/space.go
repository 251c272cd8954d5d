package sorted

import (
	"errors"
	"fmt"
	"os"
)

// Limits of the writes of one run.
type Limits struct {
	// Memory in bytes before writes are spilled, Disk before a run of writes fails.
	Memory, Disk int64
	// Dir of temporary files; "": os.TempDir().
	Dir string
}

// ErrDisk is what a write fails with that would take more than Limits.Disk.
var ErrDisk = errors.New("the spilled writes take more than they may")

// Space is what the writes to several stores share: their memory and their files.
type Space struct {
	limits Limits
	all    []*Writes
	memory int64
	// disk is in files now; PeakMemory and Spilled are for reports.
	disk       int64
	PeakMemory int64
	Spilled    int64
	files      []*os.File
}

// NewSpace returns an empty one. It makes no file before the memory is full.
func NewSpace(limits Limits) *Space { return &Space{limits: limits} }

// Close gives everything up and removes the files.
func (s *Space) Close() error {
	var failures []error
	for _, file := range s.files {
		failures = append(failures, removeFile(file))
	}
	s.files, s.all = nil, nil
	return errors.Join(failures...)
}

func removeFile(file *os.File) error {
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// newFile makes a file that vanishes with the process where the system lets an open file be removed.
func (s *Space) newFile() (*os.File, error) {
	file, err := os.CreateTemp(s.limits.Dir, "chain-upgrade-*.spill")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name())
	s.files = append(s.files, file)
	return file, nil
}

func (s *Space) dropRun(r *run) {
	s.disk -= r.size
	for i, file := range s.files {
		if file == r.file {
			s.files = append(s.files[:i], s.files[i+1:]...)
			_ = removeFile(file)
			return
		}
	}
}

func (s *Space) takeDisk(bytes int64) error {
	s.disk += bytes
	s.Spilled = max(s.Spilled, s.disk)
	if s.limits.Disk > 0 && s.disk > s.limits.Disk {
		return fmt.Errorf("%w: %d bytes", ErrDisk, s.limits.Disk)
	}
	return nil
}

// grew accounts for a change of one store's memory, and spills the largest store when there is too much.
func (s *Space) grew(bytes int64) error {
	s.memory += bytes
	s.PeakMemory = max(s.PeakMemory, s.memory)
	for s.memory > s.limits.Memory {
		largest := s.all[0]
		for _, each := range s.all {
			if each.memory > largest.memory {
				largest = each
			}
		}
		if largest.memory == 0 {
			return nil
		}
		if err := largest.spill(); err != nil {
			return err
		}
	}
	return nil
}
