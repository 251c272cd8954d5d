// Package strictjson reads JSON without its loopholes: strict UTF-8, a field occurs once in its object, numbers are
// integers and keep every digit, nesting is bounded, nothing follows the value.
package strictjson

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
)

// Problem is what is wrong, and where: a path like $.stores[1].access.
type Problem struct{ Path, What string }

func (p *Problem) Error() string { return p.Path + ": " + p.What }

// Digits of the longest integer that anyone needs, 2^64 - 1.
const digitsMax = 20

var plainField = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// FieldPath is the path of an object's field.
func FieldPath(path, field string) string {
	if plainField.MatchString(field) {
		return path + "." + field
	}
	return path + "[" + guesttext.Quote(field) + "]"
}

// member of an object, in the order of the text.
type member struct {
	name  string
	value any
}

// Positions count in UTF-16, as those of the other hosts do.
type parser struct {
	text       []uint16
	at         int
	nestingMax int
}

// Parse reads exactly one value.
func Parse(bytes []byte, nestingMax int) (Field, error) {
	if !utf8.Valid(bytes) {
		return Field{}, &Problem{"$", "not UTF-8"}
	}
	p := &parser{text: utf16.Encode([]rune(string(bytes))), nestingMax: nestingMax}
	value, err := p.value("$", 0)
	if err != nil {
		return Field{}, err
	}
	p.space()
	if p.at < len(p.text) {
		return Field{}, p.unexpected("$", "the end")
	}
	return Field{"$", value}, nil
}

// peek is 0xffff, which is no character, at the end.
func (p *parser) peek() uint16 {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0xffff
}

func (p *parser) value(path string, depth int) (any, error) {
	p.space()
	switch first := p.peek(); {
	case first == '{' || first == '[':
		if depth == p.nestingMax {
			return nil, &Problem{path, fmt.Sprintf("nested deeper than %d levels", p.nestingMax)}
		}
		p.at++
		if first == '{' {
			return p.object(path, depth+1)
		}
		return p.array(path, depth+1)
	case first == '"':
		return p.string(path)
	case p.takeWord("null"):
		return nil, nil
	case p.takeWord("true"):
		return true, nil
	case p.takeWord("false"):
		return false, nil
	}
	return p.integer(path)
}

func (p *parser) object(path string, depth int) (any, error) {
	members := []member{}
	if p.take('}') {
		return members, nil
	}
	seen := map[string]bool{}
	for {
		p.space()
		if p.peek() != '"' {
			return nil, p.unexpected(path, "a field name")
		}
		name, err := p.string(path)
		if err != nil {
			return nil, err
		}
		at := FieldPath(path, name)
		if seen[name] {
			return nil, &Problem{at, "this field occurs twice"}
		}
		seen[name] = true
		if !p.take(':') {
			return nil, p.unexpected(at, `":"`)
		}
		value, err := p.value(at, depth)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
		if !p.take(',') {
			break
		}
	}
	if !p.take('}') {
		return nil, p.unexpected(path, `"," or "}"`)
	}
	return members, nil
}

func (p *parser) array(path string, depth int) (any, error) {
	items := []any{}
	if p.take(']') {
		return items, nil
	}
	for {
		item, err := p.value(fmt.Sprintf("%s[%d]", path, len(items)), depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !p.take(',') {
			break
		}
	}
	if !p.take(']') {
		return nil, p.unexpected(path, `"," or "]"`)
	}
	return items, nil
}

func (p *parser) integer(path string) (any, error) {
	end := p.at
	if end < len(p.text) && p.text[end] == '-' {
		end++
	}
	first := end
	for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
		end++
	}
	switch digits := end - first; {
	case digits == 0:
		return nil, p.unexpected(path, "a value")
	case digits > 1 && p.text[first] == '0':
		return nil, &Problem{path, "an integer begins with 0"}
	case digits > digitsMax:
		return nil, &Problem{path, fmt.Sprintf("an integer of over %d digits", digitsMax)}
	}
	number := string(utf16.Decode(p.text[p.at:end]))
	if number == "-0" {
		return nil, &Problem{path, "-0 is not an integer"}
	}
	p.at = end
	if next := p.peek(); next == '.' || next == 'e' || next == 'E' {
		return nil, &Problem{path, "an integer is due, not a fraction or exponent"}
	}
	value, _ := new(big.Int).SetString(number, 10)
	return value, nil
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\n\r", rune(p.text[p.at])) {
		p.at++
	}
}

func (p *parser) take(character uint16) bool {
	p.space()
	if p.peek() != character {
		return false
	}
	p.at++
	return true
}

func (p *parser) takeWord(word string) bool {
	if len(p.text)-p.at < len(word) {
		return false
	}
	for i := range word {
		if p.text[p.at+i] != uint16(word[i]) {
			return false
		}
	}
	p.at += len(word)
	return true
}

func (p *parser) unexpected(path, due string) error {
	found := "the end"
	if p.at < len(p.text) {
		found = guesttext.Quote(string(utf16.Decode(p.text[p.at:])[0]))
	}
	return &Problem{path, due + " is due at character " + strconv.Itoa(p.at) + ", not " + found}
}
