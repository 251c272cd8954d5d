package strictjson

import (
	"strings"
	"testing"
)

func TestParse_whatIsNotStrict_isRefusedWithItsPath(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "$: a value is due at character 0, not the end",
		"\xff":                    "$: not UTF-8",
		"\ufeff{}":                "$: a value is due at character 0, not \"\ufffd\"",
		"{} x":                    "$: the end is due at character 3, not \"x\"",
		`{"a":1,"a":2}`:           "$.a: this field occurs twice",
		`{"a":1,"\u0061":2}`:      "$.a: this field occurs twice",
		`{"a b":[1.5]}`:           "$[\"a b\"][0]: an integer is due, not a fraction or exponent",
		`[1e3]`:                   "$[0]: an integer is due, not a fraction or exponent",
		`[01]`:                    "$[0]: an integer begins with 0",
		`[-0]`:                    "$[0]: -0 is not an integer",
		`[123456789012345678901]`: "$[0]: an integer of over 20 digits",
		`["\ud800"]`:              "$[0]: a string holds half of a surrogate pair",
		`["\udc00\ud800"]`:        "$[0]: a string holds half of a surrogate pair",
		`["\u12"]`:                `$[0]: \u needs four hex digits`,
		`["\x"]`:                  "$[0]: unknown escape in a string",
		"[\"a\nb\"]":              "$[0]: a string holds a raw control character",
		`["`:                      "$[0]: a string without its end",
		`["\`:                     "$[0]: unknown escape in a string",
		`[1,]`:                    "$[1]: a value is due at character 3, not \"]\"",
		`{"a"}`:                   "$.a: \":\" is due at character 4, not \"}\"",
		`{"😀" 1}`:                 "$[\"😀\"]: \":\" is due at character 6, not \"1\"",
		"[[[1]]]":                 "$[0][0]: nested deeper than 2 levels",
		`{"a":1 "b":2}`:           "$: \",\" or \"}\" is due at character 7, not \"\\\"\"",
		"nul":                     "$: a value is due at character 0, not \"n\"",
	} {
		if _, err := Parse([]byte(text), 2); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestField_values_areReadByTheirKinds(t *testing.T) {
	root, err := Parse([]byte(` {"n": 18446744073709551615, "s": "5", "b": true, "l": [null], "t": "\u00e9\ud83d\ude00\/"} `), 4)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := root.Object([]string{"n", "s", "b"}, []string{"l", "t"})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := fields["n"].U64(); n != 1<<64-1 || err != nil {
		t.Error(n, err)
	}
	if s, err := fields["s"].U64(); s != 5 || err != nil {
		t.Error(s, err)
	}
	if text, err := fields["t"].Text(); text != "é😀/" || err != nil {
		t.Error(text, err)
	}
	for want, read := range map[string]func() error{
		"$: is missing x":                         func() error { _, err := root.Object([]string{"x"}, nil); return err },
		"$.n: must be a string, not an integer":   func() error { _, err := fields["n"].Text(); return err },
		"$.b: must be a list, not a boolean":      func() error { _, err := fields["b"].Items(-1); return err },
		"$.l: has 1 items, at most 0 are allowed": func() error { _, err := fields["l"].Items(0); return err },
		"$.s: must be true or false":              func() error { _, err := fields["s"].Boolean(); return err },
		"$.s: is 5, at most 4 is allowed":         func() error { _, err := fields["s"].Decimal(4); return err },
		"$.s: must be an integer, not a string":   func() error { _, err := fields["s"].Integer(); return err },
		"$.t: is not a known field":               func() error { _, err := root.Object([]string{"n", "s", "b", "l"}, nil); return err },
	} {
		want = strings.Replace(want, "$: is missing x", "$.x: is missing", 1)
		if err := read(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a": [1, "x", null], "b": {"c": true}}`))
	f.Add([]byte(`["\ud83d\ude00`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := Parse(text, 16)
		if _, isProblem := err.(*Problem); err != nil && !isProblem {
			t.Errorf("%T", err)
		}
	})
}
