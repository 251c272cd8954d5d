// Package wasmfile finds the sections of a WebAssembly module. It reads no section: check.wasm does.
package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Custom is the id of custom sections.
const Custom = 0

const headerBytes = 8

// Section is one section of a file, which lies at bytes Start to End.
type Section struct {
	ID         byte
	Content    []byte
	Start, End int
}

// Sections lists the sections of a module in their order. It fails where they do not end with the file.
func Sections(file []byte) ([]Section, error) {
	if len(file) < headerBytes {
		return nil, errors.New("the header is cut short")
	}
	var sections []Section
	for at := headerBytes; at < len(file); {
		size, sizeBytes := binary.Uvarint(file[at+1:])
		from := at + 1 + sizeBytes
		if sizeBytes <= 0 || size > uint64(len(file)-from) {
			return nil, errors.New("a section is cut short")
		}
		end := from + int(size)
		sections = append(sections, Section{ID: file[at], Content: file[from:end], Start: at, End: end})
		at = end
	}
	return sections, nil
}

// WithoutCustoms returns the module without its custom sections.
func WithoutCustoms(file []byte) ([]byte, error) {
	sections, err := Sections(file)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(file[:headerBytes])
	for _, section := range sections {
		if section.ID != Custom {
			out = append(out, file[section.Start:section.End]...)
		}
	}
	return out, nil
}
