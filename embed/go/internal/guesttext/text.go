package guesttext

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is the first max bytes as text, never cut inside a character; what is not UTF-8 becomes U+FFFD.
func Text(bytes []byte, max int) string {
	return Printable(lossy(bytes[:cut(bytes, max)]))
}

// Line is Text with at most max bytes as UTF-8 too: U+FFFD takes three where it is put for one.
func Line(bytes []byte, max int) string {
	text := Text(bytes, max)
	return text[:cut([]byte(text), max)]
}

// Text16 reads UTF-16, little-endian, as AssemblyScript keeps strings.
func Text16(bytes []byte) string {
	units := make([]uint16, len(bytes)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(bytes[2*i:])
	}
	return Printable(string(utf16.Decode(units)))
}

// cut is where to end, at most max, so that no character is cut.
func cut(bytes []byte, max int) int {
	if len(bytes) <= max {
		return len(bytes)
	}
	end := max
	for back := 0; back < 3 && end > 0 && bytes[end]&0xc0 == 0x80; back++ {
		end--
	}
	return end
}

// lossy replaces each longest beginning of a character that is not completed by one U+FFFD, as browsers do.
func lossy(bytes []byte) string {
	if utf8.Valid(bytes) {
		return string(bytes)
	}
	var out strings.Builder
	for len(bytes) > 0 {
		character, size := utf8.DecodeRune(bytes)
		if character == utf8.RuneError && size == 1 {
			size = brokenSize(bytes)
		}
		out.WriteRune(character)
		bytes = bytes[size:]
	}
	return out.String()
}

// brokenSize is how many bytes of a character that is cut short belong together.
func brokenSize(bytes []byte) int {
	size, low, high := 0, byte(0x80), byte(0xbf)
	switch lead := bytes[0]; {
	case lead >= 0xc2 && lead <= 0xdf:
		size = 2
	case lead >= 0xe0 && lead <= 0xef:
		size = 3
		if lead == 0xe0 {
			low = 0xa0
		} else if lead == 0xed {
			high = 0x9f
		}
	case lead >= 0xf0 && lead <= 0xf4:
		size = 4
		if lead == 0xf0 {
			low = 0x90
		} else if lead == 0xf4 {
			high = 0x8f
		}
	}
	taken := 1
	for taken < size && taken < len(bytes) && bytes[taken] >= low && bytes[taken] <= high {
		low, high = 0x80, 0xbf
		taken++
	}
	return taken
}
