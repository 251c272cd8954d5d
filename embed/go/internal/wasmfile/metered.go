package wasmfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// What the meter adds to a module.
const (
	addedGlobals = 4
	growType     = "(i32) -> i32"
	// A memory of more pages is large: its loads cost more.
	nearPages = 16
)

// CounterExports are the globals that a metered module exports, in their order.
var CounterExports = []string{"chain-upgrade:gas", "chain-upgrade:stack", "chain-upgrade:refused"}

// CompareMetered reports how a metered module differs from what the meter makes of a file, as far as that can be seen
// without metering: it returns "" when only the bodies of functions may differ,
// within what the meter can add to them.
func CompareMetered(file, metered *Module, pagesMax uint32) string {
	if len(metered.Customs) > 0 {
		return "it has custom sections"
	}
	for _, id := range []byte{Type, importID, tableID, elementID, dataCountID, dataID} {
		if !bytes.Equal(file.Section(id), metered.Section(id)) {
			return fmt.Sprintf("its section %d differs from the file's", id)
		}
	}
	for _, differ := range []func(file, metered *Module) string{differInFunctions, differInCode, differInGlobals, differInExports} {
		if what := differ(file, metered); what != "" {
			return what
		}
	}
	return differInMemory(file, metered, pagesMax)
}

// A module that grows its memory gets one function more, of type (i32) -> i32.
func differInFunctions(file, metered *Module) string {
	count := len(file.Functions)
	if len(metered.Functions) < count || !slices.Equal(metered.Functions[:count], file.Functions) {
		return "its functions have other types than the file's"
	}
	switch added := metered.Functions[count:]; {
	case len(added) > 1:
		return fmt.Sprintf("it has %d functions more than the file", len(added))
	case len(added) == 1 && metered.Types[added[0]] != growType:
		return "the function that it has more than the file is of another type than " + growType
	}
	return ""
}

// differInCode: bodies are not compared, but what they ask of a compiler is bounded by what the file's own ask: a module
// that no meter made could keep a compiler for minutes.
func differInCode(file, metered *Module) string {
	for i, cost := range metered.costs {
		// The function that the meter adds is made of no body.
		var plain bodyCost
		if i < len(file.costs) {
			plain = file.costs[i]
		}
		if what, count, most := cost.excess(&plain); what != "" {
			return fmt.Sprintf("its function body %d has %s: %d, metering makes at most %d of the file's", i, what, count, most)
		}
	}
	return ""
}

func differInGlobals(file, metered *Module) string {
	if metered.Globals != file.Globals+addedGlobals {
		return fmt.Sprintf("it has %d globals, %d are due", metered.Globals, file.Globals+addedGlobals)
	}
	var own []byte
	if file.Globals > 0 {
		own = afterCount(file)
	}
	added, isPrefix := bytes.CutPrefix(afterCount(metered), own)
	if !isPrefix {
		return "its globals differ from the file's"
	}
	isLarge := len(file.Memories) > 0 && file.Memories[0].Min > nearPages
	if !bytes.Equal(added, counterGlobals(isLarge)) {
		return "what follows the file's globals is not the three counters with what they hold at first, and the meter's own"
	}
	return ""
}

// counterGlobals are the declarations that the meter adds: the gas, 0; the stack, 262,144; refused, 0; and one of its own,
// 1 where the memory begins large.
func counterGlobals(isLarge bool) []byte {
	added := []byte{
		0x7e, 1, opI64, 0, opEnd,
		0x7f, 1, opI32, 0x80, 0x80, 0x10, opEnd,
		0x7f, 1, opI32, 0, opEnd,
		0x7f, 1, opI32, 0, opEnd,
	}
	if isLarge {
		added[len(added)-2] = 1
	}
	return added
}

func afterCount(module *Module) []byte {
	content := module.Section(globalID)
	_, size := binary.Uvarint(content)
	return content[size:]
}

func differInExports(file, metered *Module) string {
	due := slices.Clone(file.Exports)
	for i, name := range CounterExports {
		due = append(due, Export{Name: name, Kind: GlobalKind, Index: file.Globals + uint32(i)})
	}
	same := func(a, b Export) bool { return a.Name == b.Name && a.Kind == b.Kind && a.Index == b.Index }
	if !slices.EqualFunc(metered.Exports, due, same) {
		return "its exports are not the file's and the three counters"
	}
	return ""
}

func differInMemory(file, metered *Module, pagesMax uint32) string {
	due := slices.Clone(file.Memories)
	for i := range due {
		if due[i].Max < 0 || due[i].Max > int64(pagesMax) {
			due[i].Max = int64(pagesMax)
		}
	}
	if !slices.Equal(metered.Memories, due) {
		return fmt.Sprintf("its memory is not the file's with a maximum of at most %d pages", pagesMax)
	}
	return ""
}
