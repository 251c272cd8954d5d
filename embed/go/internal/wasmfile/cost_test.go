package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
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

func TestParse_blocksInsideEachOther_areAtMost256(t *testing.T) {
	if _, err := Parse(moduleOf(0, nested(opBlock, 256))); err != nil {
		t.Error(err)
	}
	if _, err := Parse(moduleOf(0, nested(opBlock, 257))); err == nil || !strings.Contains(err.Error(), "blocks are nested") {
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
	// 10 branches and a call: 57 branches, 229 values, 11 calls, 1,141 bytes more are the most that metering makes of it.
	plain := append(bytes.Repeat(aBlock, 10), aCall...)
	for name, each := range map[string]struct {
		locals int
		body   []byte
		words  string
	}{
		"57 branches, taken":       {1, bytes.Repeat(aBlock, 57), ""},
		"58 branches":              {1, bytes.Repeat(aBlock, 58), "branches: 58, metering makes at most 57"},
		"a loop":                   {1, aLoop, "loops: 1, metering makes at most 0"},
		"two locals more, taken":   {2, nil, ""},
		"three locals more":        {3, nil, "locals: 3, metering makes at most 2"},
		"four blocks deep, taken":  {1, nested(opBlock, 4), ""},
		"five blocks deep":         {1, nested(opBlock, 5), "blocks inside each other: 5, metering makes at most 4"},
		"11 calls, taken":          {1, bytes.Repeat(aCall, 11), ""},
		"12 calls":                 {1, bytes.Repeat(aCall, 12), "calls: 12, metering makes at most 11"},
		"values for nothing":       {1, bytes.Repeat(aValue, 229), "values: 230, metering makes at most 229"},
		"the most values, taken":   {1, bytes.Repeat(aValue, 228), ""},
		"a long body":              {1, bytes.Repeat([]byte{0x01}, 2_000), "bytes: "},
		"80,000 blocks":            {1, bytes.Repeat(aBlock, 80_000), "bytes: "},
		"nops up to the end taken": {1, bytes.Repeat([]byte{0x01}, 1_100), ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := Parse(moduleOf(0, plain))
			if err != nil {
				t.Fatal(err)
			}
			metered, err := ParseMetered(moduleOf(each.locals, each.body))
			if err != nil {
				t.Fatal(err)
			}
			if what := differInCode(file, metered); !strings.Contains(what, each.words) || (what == "") != (each.words == "") {
				t.Errorf("got %q", what)
			}
		})
	}
}

// The function in place of memory.grow is made of no body at all.
func TestCompareMetered_addedFunction_isBoundedToo(t *testing.T) {
	file, err := Parse(moduleOf(0, aBlock))
	if err != nil {
		t.Fatal(err)
	}
	for blocks, words := range map[int]string{6: "", 7: "function body 1 has branches: 7, metering makes at most 6"} {
		metered, err := ParseMetered(moduleOf(1, aBlock, bytes.Repeat(aBlock, blocks)))
		if err != nil {
			t.Fatal(err)
		}
		if what := differInCode(file, metered); !strings.Contains(what, words) || (what == "") != (words == "") {
			t.Errorf("%d blocks: got %q", blocks, what)
		}
	}
}

func TestGrowths_areThoseOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/abi.md")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("docs/abi.md is in the repository, not in the module")
	}
	_, table, _ := strings.Cut(string(page), "\n| of a body |")
	lines := strings.Split(table, "\n")
	for i, each := range growths {
		row := fmt.Sprintf("| %s | %d | %d | %d |", each.what, each.once, each.ofBranch, each.ofCall)
		if lines[i+2] != row {
			t.Errorf("the document has %q, here is %q", lines[i+2], row)
		}
	}
	if strings.HasPrefix(lines[len(growths)+2], "|") {
		t.Errorf("the document goes on with %q", lines[len(growths)+2])
	}
}
