package wasmfile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// moduleOf bodies of type (i32) -> i32, each with so many locals.
func moduleOf(locals int, bodies ...[]byte) []byte {
	list := func(items ...[]byte) []byte {
		return append(binary.AppendUvarint(nil, uint64(len(items))), slices.Concat(items...)...)
	}
	sized := func(content []byte) []byte {
		return append(binary.AppendUvarint(nil, uint64(len(content))), content...)
	}
	var types, codes [][]byte
	for _, body := range bodies {
		declared := append(binary.AppendUvarint([]byte{1}, uint64(locals)), 0x7e)
		types = append(types, []byte{0})
		codes = append(codes, sized(slices.Concat(declared, body, []byte{0x41, 0, opEnd})))
	}
	file := []byte("\x00asm\x01\x00\x00\x00")
	file = append(append(file, Type), sized([]byte{1, 0x60, 1, 0x7f, 1, 0x7f})...)
	file = append(append(file, functionID), sized(list(types...))...)
	return append(append(file, codeID), sized(list(codes...))...)
}

var (
	aBlock    = []byte{opBlock, emptyType, opEnd}
	aLoop     = []byte{opLoop, emptyType, opEnd}
	aCall     = []byte{0x41, 0, opCall, 0, 0x1a}
	aValue    = []byte{0x41, 0, 0x1a}
	anIf      = []byte{0x41, 0, opIf, emptyType, opEnd}
	aDivision = []byte{0x41, 1, 0x41, 1, 0x6d, 0x1a}
	aFill     = []byte{0x41, 0, 0x41, 0, 0x41, 0, opPrefix, 11, 0}
	// A block and two labels: three branches.
	aTable = []byte{opBlock, emptyType, 0x41, 0, 0x0e, 1, 0, 0, opEnd}
)

func nested(what byte, count int) []byte {
	return append(bytes.Repeat([]byte{what, emptyType}, count), bytes.Repeat([]byte{opEnd}, count)...)
}

func TestParse_functionThatIsDearToCompile_isRefused(t *testing.T) {
	for name, each := range map[string]struct {
		locals int
		body   []byte
		most   int
		words  string
	}{
		"blocks":           {0, aBlock, 2_048, "branches: 2049"},
		"ifs":              {0, anIf, 2_048, "branches: 2049"},
		"divisions":        {0, aDivision, 2_048, "branches: 2049"},
		"bulk operations":  {0, aFill, 2_048, "branches: 2049"},
		"labels":           {0, aTable, 682, "branches: 2049"},
		"loops":            {0, aLoop, 256, "loops: 257"},
		"calls":            {0, aCall, 4_096, "calls: 4097"},
		"blocks of locals": {199, aBlock, 1_000, "branches × parameters and locals: 200200"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(moduleOf(each.locals, bytes.Repeat(each.body, each.most))); err != nil {
				t.Errorf("%d: %v", each.most, err)
			}
			_, err := Parse(moduleOf(each.locals, bytes.Repeat(each.body, each.most+1)))
			if err == nil || !strings.Contains(err.Error(), each.words) {
				t.Errorf("%d: %v", each.most+1, err)
			}
		})
	}
}

func TestParse_loopsInsideEachOther_areAtMost32(t *testing.T) {
	if _, err := Parse(moduleOf(0, nested(opLoop, 32), nested(opLoop, 32))); err != nil {
		t.Error(err)
	}
	if _, err := Parse(moduleOf(0, nested(opLoop, 33))); err == nil || !strings.Contains(err.Error(), "loops are nested") {
		t.Errorf("got %v", err)
	}
}

func TestParse_branchesOfAllFunctions_areBounded(t *testing.T) {
	bodies := slices.Repeat([][]byte{bytes.Repeat(aBlock, branchesMax)}, 32)
	if _, err := Parse(moduleOf(0, bodies...)); err != nil {
		t.Error(err)
	}
	if _, err := Parse(moduleOf(0, append(bodies, aBlock)...)); err == nil || !strings.Contains(err.Error(), "all functions together") {
		t.Errorf("got %v", err)
	}
}

func TestCompareMetered_bodyThatTheMeterDoesNotMake_differs(t *testing.T) {
	plain := bytes.Repeat(aBlock, 10)
	for name, each := range map[string]struct {
		body  []byte
		words string
	}{
		"two more loops":     {bytes.Repeat(aLoop, 2), "more loops"},
		"59 branches":        {bytes.Repeat(aBlock, 59), "more branched"},
		"a long body":        {bytes.Repeat(aValue, 1_000), "longer"},
		"calls for nothing":  {bytes.Repeat(aCall, 1_000), "longer"},
		"80,000 blocks":      {bytes.Repeat(aBlock, 80_000), "longer"},
		"58 branches, taken": {bytes.Repeat(aBlock, 58), ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := Parse(moduleOf(0, plain))
			if err != nil {
				t.Fatal(err)
			}
			metered, err := ParseMetered(moduleOf(1, each.body))
			if err != nil {
				t.Fatal(err)
			}
			if what := differInCode(file, metered); !strings.Contains(what, each.words) || (what == "") != (each.words == "") {
				t.Errorf("got %q", what)
			}
		})
	}
}
