// Package wire reads and writes the protobuf wire format, as far as plans, version maps and receipts need it.
package wire

import "encoding/binary"

// Writer builds a message. Field methods leave out default values, as proto3 does; Message writes an empty one too.
type Writer struct{ bytes []byte }

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.bytes }

// Int writes int32, int64, uint64, bool and enum; negative numbers take ten bytes.
func (w *Writer) Int(field int, value uint64) *Writer {
	if value == 0 {
		return w
	}
	w.tag(field, Varint)
	w.bytes = binary.AppendUvarint(w.bytes, value)
	return w
}

// String writes a text or bytes.
func (w *Writer) String(field int, text string) *Writer {
	if text == "" {
		return w
	}
	return w.Message(field, []byte(text))
}

// Message writes a sub-message, or bytes, also when it is empty.
func (w *Writer) Message(field int, message []byte) *Writer {
	w.tag(field, Bytes)
	w.bytes = binary.AppendUvarint(w.bytes, uint64(len(message)))
	w.bytes = append(w.bytes, message...)
	return w
}

func (w *Writer) tag(field, kind int) {
	w.bytes = binary.AppendUvarint(w.bytes, uint64(field*8+kind))
}
