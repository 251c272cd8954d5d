// Package wasmfile reads a WebAssembly module: what its outside sees, and that every list and instruction in it is one
// that a handler may have. Types of operands are the engine's to check.
package wasmfile

import (
	"fmt"
	"unicode/utf8"
)

// Kind says which rule a module breaks.
type Kind int

// The kinds of problems.
const (
	// Format: not a well-formed module.
	Format Kind = iota
	// Limit of a size or count.
	Limit
	// Memory that is missing, imported, shared or too large.
	Memory
	// Import of something that is not a function.
	ImportKind
	// Opcode: a feature or a type that is not allowed.
	Opcode
)

// Problem is the first thing that is wrong with a module.
type Problem struct {
	Kind   Kind
	Offset int
	What   string
}

func (p *Problem) Error() string { return fmt.Sprintf("at byte %d: %s", p.Offset, p.What) }

// reader keeps the first problem; after one, what it returns means nothing and nothing more is read.
type reader struct {
	bytes   []byte
	at, end int
	problem *Problem
}

func (r *reader) done() bool { return r.problem != nil || r.at >= r.end }

func (r *reader) fail(kind Kind, at int, format string, args ...any) {
	if r.problem == nil {
		r.problem = &Problem{kind, at, fmt.Sprintf(format, args...)}
	}
}

func (r *reader) byte(what string) byte {
	if r.problem != nil || r.at >= r.end {
		r.fail(Format, r.at, "cut short: %s is missing", what)
		return 0
	}
	r.at++
	return r.bytes[r.at-1]
}

func (r *reader) take(length uint32, what string) []byte {
	if r.problem != nil || int64(length) > int64(r.end-r.at) {
		r.fail(Format, r.at, "cut short: %s needs %d bytes", what, length)
		return nil
	}
	r.at += int(length)
	return r.bytes[r.at-int(length) : r.at]
}

// u32 is an unsigned LEB128 of at most five bytes that fits in 32 bits.
func (r *reader) u32(what string) uint32 {
	start := r.at
	value := uint64(0)
	for shift := uint(0); ; shift += 7 {
		next := r.byte(what)
		if r.problem != nil {
			return 0
		}
		if shift == 28 && next >= 1<<4 {
			r.fail(Format, start, "%s is not an unsigned 32-bit LEB128", what)
			return 0
		}
		value |= uint64(next&0x7f) << shift
		if next < 0x80 {
			return uint32(value)
		}
	}
}

// count is the length of a list; above max it is refused before anything is read or allocated.
func (r *reader) count(what string, max uint32, kind Kind) uint32 {
	at := r.at
	count := r.u32("number of " + what)
	if count > max {
		r.fail(kind, at, "%d %s, at most %d are allowed", count, what, max)
		return 0
	}
	return count
}

func (r *reader) name(what string) string {
	length := r.u32("length of " + what)
	start := r.at
	name := r.take(length, what)
	if !utf8.Valid(name) {
		r.fail(Format, start, "%s is not UTF-8", what)
	}
	return string(name)
}

// signed is the low 32 bits of a signed LEB128 of at most so many bytes; whether its last bits repeat the sign is the
// engine's to say.
func (r *reader) signed(bytesMax int, what string) uint32 {
	start := r.at
	value := uint64(0)
	for shift := 0; ; shift += 7 {
		next := r.byte(what)
		if shift < 63 {
			value |= uint64(next&0x7f) << shift
		}
		if r.problem != nil || next < 0x80 {
			// The sign of a short number.
			if next&0x40 != 0 && shift < 28 {
				value |= ^uint64(0) << (shift + 7)
			}
			return uint32(value)
		}
		if r.at-start == bytesMax {
			r.fail(Format, start, "%s is too long", what)
		}
	}
}
