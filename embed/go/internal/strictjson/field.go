package strictjson

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
)

// Field is a value that knows its path, so that its reader can say what is wrong where.
type Field struct {
	Path  string
	value any
}

// Object is the fields of an object that was checked for missing and unknown ones.
type Object map[string]Field

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case *big.Int:
		return "an integer"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	}
	return "an object"
}

// Object returns the fields of an object that has all of required, perhaps some of optional, and nothing else.
func (f Field) Object(required, optional []string) (Object, error) {
	entries, err := f.Entries()
	if err != nil {
		return nil, err
	}
	fields := Object{}
	for _, each := range entries {
		fields[each.Name] = each.Field
	}
	for _, name := range required {
		if _, ok := fields[name]; !ok {
			return nil, &Problem{FieldPath(f.Path, name), "is missing"}
		}
	}
	for _, each := range entries {
		if !slices.Contains(required, each.Name) && !slices.Contains(optional, each.Name) {
			return nil, each.Field.Wrong("is not a known field")
		}
	}
	return fields, nil
}

// Entry is a field of an object whose names are data.
type Entry struct {
	Name  string
	Field Field
}

// Entries returns the fields of an object in the order of the text.
func (f Field) Entries() ([]Entry, error) {
	members, ok := f.value.([]member)
	if !ok {
		return nil, f.expected("an object")
	}
	entries := make([]Entry, len(members))
	for i, each := range members {
		entries[i] = Entry{each.name, Field{FieldPath(f.Path, each.name), each.value}}
	}
	return entries, nil
}

// Items returns a list of at most max items; max below 0: of any number.
func (f Field) Items(max int) ([]Field, error) {
	list, ok := f.value.([]any)
	if !ok {
		return nil, f.expected("a list")
	}
	if max >= 0 && len(list) > max {
		return nil, f.Wrong(fmt.Sprintf("has %d items, at most %d are allowed", len(list), max))
	}
	items := make([]Field, len(list))
	for i, value := range list {
		items[i] = Field{fmt.Sprintf("%s[%d]", f.Path, i), value}
	}
	return items, nil
}

// Text returns a string.
func (f Field) Text() (string, error) {
	text, ok := f.value.(string)
	if !ok {
		return "", f.expected("a string")
	}
	return text, nil
}

// Boolean returns true or false.
func (f Field) Boolean() (bool, error) {
	value, ok := f.value.(bool)
	if !ok {
		return false, f.Wrong("must be true or false")
	}
	return value, nil
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})$`)

// Decimal returns a decimal string without sign or leading zeros, at most max.
func (f Field) Decimal(max uint64) (uint64, error) {
	text, err := f.Text()
	if err != nil {
		return 0, err
	}
	if !decimal.MatchString(text) {
		return 0, f.Wrong("must be a decimal number as a string")
	}
	value, _ := new(big.Int).SetString(text, 10)
	return f.atMost(value, max)
}

// Integer returns an unsigned 64-bit integer.
func (f Field) Integer() (uint64, error) {
	value, ok := f.value.(*big.Int)
	if !ok {
		return 0, f.expected("an integer")
	}
	if value.Sign() < 0 {
		return 0, f.Wrong("must not be negative")
	}
	return f.atMost(value, 1<<64-1)
}

// U64 is Integer, also as a decimal string, for writers whose JSON numbers end at 2^53.
func (f Field) U64() (uint64, error) {
	if _, ok := f.value.(string); ok {
		return f.Decimal(1<<64 - 1)
	}
	return f.Integer()
}

// Wrong is the problem of this field.
func (f Field) Wrong(what string) error { return &Problem{f.Path, what} }

func (f Field) atMost(value *big.Int, max uint64) (uint64, error) {
	if limit := new(big.Int).SetUint64(max); value.Cmp(limit) > 0 {
		return 0, f.Wrong(fmt.Sprintf("is %s, at most %s is allowed", value, limit))
	}
	return value.Uint64(), nil
}

func (f Field) expected(kind string) error {
	return f.Wrong("must be " + kind + ", not " + kindOf(f.value))
}
