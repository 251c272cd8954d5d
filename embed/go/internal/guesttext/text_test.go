package guesttext

import "testing"

func TestText_brokenCharacters_areReplacedAsBrowsersDo(t *testing.T) {
	for bytes, want := range map[string]string{
		"plain":                "plain",
		"a\xffb":               "a\ufffdb",
		"\xe2\x82":             "\ufffd",
		"\xe2\x82x":            "\ufffdx",
		"\xf0\x9f\x98":         "\ufffd",
		"\xed\xa0\x80":         "\ufffd\ufffd\ufffd",
		"\xe0\x80\x80":         "\ufffd\ufffd\ufffd",
		"\xf4\x90\x80\x80":     "\ufffd\ufffd\ufffd\ufffd",
		"\xc0\xaf":             "\ufffd\ufffd",
		"a\tb\nc\u2028d":       "a b c d",
		"\u202eabc\x1b[31m":    "\ufffdabc\ufffd[31m",
		"e\u0301 \u200b\ufeff": "e\u0301 \ufffd\ufffd",
	} {
		if got := Text([]byte(bytes), 1_024); got != want {
			t.Errorf("%q: got %q, want %q", bytes, got, want)
		}
	}
}

func TestText_longOnes_areCutBetweenCharacters(t *testing.T) {
	for max, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 4: "aé", 6: "aé", 7: "aé😀", 9: "aé😀"} {
		if got := Text([]byte("aé😀"), max); got != want {
			t.Errorf("at most %d bytes: %q, want %q", max, got, want)
		}
	}
	if got := Line([]byte("\xff\xff\xff"), 7); got != "\ufffd\ufffd" {
		t.Errorf("a line of three broken bytes in 7: %q", got)
	}
}

func TestText16_halves_areReplaced(t *testing.T) {
	if got := Text16([]byte("a\x00\x3d\xd8\x00\xdeb\x00\x3d\xd8c\x00x")); got != "a😀b\ufffdc" {
		t.Errorf("got %q", got)
	}
}
