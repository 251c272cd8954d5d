// Package guesttext makes text harmless that a guest wrote: it ends up in logs, on terminals and in error messages.
package guesttext

import "strings"

// hidden are the characters that do not show, or change how what is around them shows: controls, marks and isolates of
// direction, those of no width, separators of lines, annotations, tags. Each pair is a first and a last one.
var hidden = [][2]rune{
	{0x00, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5},
	{0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfeff, 0xfeff},
	{0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
}

func isHidden(character rune) bool {
	for _, each := range hidden {
		if character >= each[0] && character <= each[1] {
			return true
		}
	}
	return false
}

// Printable replaces line breaks and tabs by spaces, other hidden characters by U+FFFD.
func Printable(text string) string {
	return strings.Map(func(character rune) rune {
		switch {
		case !isHidden(character):
			return character
		case strings.ContainsRune("\t\n\r\u2028\u2029", character):
			return ' '
		default:
			return 0xfffd
		}
	}, text)
}
