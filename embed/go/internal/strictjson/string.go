package strictjson

import (
	"strconv"
	"unicode/utf16"
)

var escapes = map[uint16]uint16{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func (p *parser) string(path string) (string, error) {
	units := []uint16{}
	p.at++
	for {
		if p.at == len(p.text) {
			return "", &Problem{path, "a string without its end"}
		}
		unit := p.text[p.at]
		p.at++
		if unit == '"' {
			break
		}
		if unit < ' ' {
			return "", &Problem{path, "a string holds a raw control character"}
		}
		if unit == '\\' {
			var what string
			if unit, what = p.escape(); what != "" {
				return "", &Problem{path, what}
			}
		}
		units = append(units, unit)
	}
	if !isWellFormed(units) {
		return "", &Problem{path, "a string holds half of a surrogate pair"}
	}
	return string(utf16.Decode(units)), nil
}

func (p *parser) escape() (unit uint16, problem string) {
	letter := p.peek()
	p.at++
	if letter == 'u' {
		return p.hex()
	}
	unit, ok := escapes[letter]
	if !ok {
		return 0, "unknown escape in a string"
	}
	return unit, ""
}

func (p *parser) hex() (unit uint16, problem string) {
	const due = `\u needs four hex digits`
	if len(p.text)-p.at < 4 {
		return 0, due
	}
	digits := ""
	for _, digit := range p.text[p.at : p.at+4] {
		isHex := digit >= '0' && digit <= '9' || digit >= 'a' && digit <= 'f' || digit >= 'A' && digit <= 'F'
		if !isHex {
			return 0, due
		}
		digits += string(rune(digit))
	}
	p.at += 4
	value, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return 0, due
	}
	return uint16(value), ""
}

func isWellFormed(units []uint16) bool {
	for i := 0; i < len(units); i++ {
		if !utf16.IsSurrogate(rune(units[i])) {
			continue
		}
		if i+1 == len(units) || utf16.DecodeRune(rune(units[i]), rune(units[i+1])) == 0xfffd {
			return false
		}
		i++
	}
	return true
}
