package wire

import "fmt"

// Wire types.
const (
	Varint  = 0
	fixed64 = 1
	Bytes   = 2
)

// Field is one field of a message as it is on the wire.
type Field struct {
	Number int
	Kind   int
	// Value of a varint.
	Value uint64
	// Bytes of a length-delimited field: a part of the input.
	Bytes []byte
}

// ReadAll returns the fields of a message in their order.
func ReadAll(message []byte) ([]Field, error) {
	reader := reader{bytes: message}
	var fields []Field
	for reader.at < len(message) {
		field, err := reader.field()
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// Read is ReadAll for a message whose fields have these wire types, field 1 first. Any other is refused.
func Read(message []byte, kinds ...int) ([]Field, error) {
	fields, err := ReadAll(message)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		if field.Number > len(kinds) || kinds[field.Number-1] != field.Kind {
			return nil, fmt.Errorf("unknown field %d", field.Number)
		}
	}
	return fields, nil
}

// ReadOnce is Read for a message in which each field occurs at most once: by number, minus one. A field that is absent
// is nil.
func ReadOnce(message []byte, kinds ...int) ([]*Field, error) {
	list, err := Read(message, kinds...)
	if err != nil {
		return nil, err
	}
	fields := make([]*Field, len(kinds))
	for i := range list {
		index := list[i].Number - 1
		if fields[index] != nil {
			return nil, fmt.Errorf("field %d occurs twice", list[i].Number)
		}
		fields[index] = &list[i]
	}
	return fields, nil
}

type reader struct {
	bytes []byte
	at    int
}

func (r *reader) field() (Field, error) {
	tag, err := r.varint()
	if err != nil {
		return Field{}, err
	}
	if tag>>3 == 0 || tag > 0xffffffff {
		return Field{}, r.malformed("tag")
	}
	field := Field{Number: int(tag >> 3), Kind: int(tag & 7)}
	switch field.Kind {
	case Varint:
		field.Value, err = r.varint()
	case Bytes:
		field.Bytes, err = r.delimited()
	case fixed64:
		_, err = r.take(8)
	default:
		err = r.malformed(fmt.Sprintf("wire type %d", field.Kind))
	}
	return field, err
}

// At most ten bytes, of which the last is 0 or 1.
func (r *reader) varint() (uint64, error) {
	var value uint64
	for shift := uint(0); shift < 64; shift += 7 {
		if r.at >= len(r.bytes) {
			break
		}
		next := r.bytes[r.at]
		r.at++
		if shift == 63 && next > 1 {
			break
		}
		value |= uint64(next&0x7f) << shift
		if next < 0x80 {
			return value, nil
		}
	}
	return 0, r.malformed("varint")
}

func (r *reader) delimited() ([]byte, error) {
	length, err := r.varint()
	if err != nil {
		return nil, err
	}
	return r.take(length)
}

func (r *reader) take(length uint64) ([]byte, error) {
	if length > uint64(len(r.bytes)-r.at) {
		return nil, r.malformed("length")
	}
	end := r.at + int(length)
	// Without spare capacity: an append copies, and changes no other field.
	part := r.bytes[r.at:end:end]
	r.at = end
	return part, nil
}

func (r *reader) malformed(what string) error {
	return fmt.Errorf("malformed protobuf: %s at byte %d", what, r.at)
}
