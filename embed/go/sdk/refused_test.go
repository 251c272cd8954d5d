package sdk_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	upgrademodule "cosmossdk.io/x/upgrade"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wasmfile"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

const (
	meteredName   = "chain-upgrade.metered"
	notMetered    = "is not the metered form of this module"
	memorySection = 5
	startSection  = 8
)

// own is a handler's file without its metered module, which is its last section, and that module.
func own(t *testing.T, file []byte) (plain, metered []byte) {
	t.Helper()
	sections, err := wasmfile.Sections(file)
	if err != nil {
		t.Fatal(err)
	}
	last := sections[len(sections)-1]
	metered, ok := bytes.CutPrefix(last.Content, append([]byte{byte(len(meteredName))}, meteredName...))
	if last.ID != wasmfile.Custom || !ok {
		t.Fatal("the metered module is not the last section")
	}
	return bytes.Clone(file[:last.Start]), metered
}

func carrying(plain, metered []byte) []byte {
	return append(bytes.Clone(plain), sectionOf(0, append([]byte{byte(len(meteredName))}, meteredName+string(metered)...))...)
}

func sectionOf(id byte, content []byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(content))), content...)
}

// with puts a section in the place of the one of this id, or where one of it belongs.
func with(t *testing.T, module []byte, id byte, content []byte) []byte {
	t.Helper()
	sections, err := wasmfile.Sections(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range sections {
		if section.ID >= id && section.ID != wasmfile.Custom {
			end := section.Start
			if section.ID == id {
				end = section.End
			}
			return append(append(bytes.Clone(module[:section.Start]), sectionOf(id, content)...), module[end:]...)
		}
	}
	t.Fatalf("there is no place for section %d", id)
	return nil
}

// meteredGas is a metered module whose counter of gas begins with one.
func meteredGas(t *testing.T, metered []byte) []byte {
	t.Helper()
	counters := []byte{0x7e, 1, 0x42, 0, 0x0b, 0x7f, 1, 0x41, 0x80, 0x80, 0x10, 0x0b}
	at := bytes.LastIndex(metered, counters)
	if at < 0 {
		t.Fatal("the counters are not where they are looked for")
	}
	changed := bytes.Clone(metered)
	changed[at+3] = 1
	return changed
}

// A binary whose handler is none does not start: whatever is wrong with the file is said by sdk.New, with a code. Until there is a
// good one, x/upgrade halts at the plan's height and nothing is written; then the chain goes on from where it stood.
func TestNewOfAFileThatIsNoHandlerIsAnErrorAndTheChainGoesOnWithAGoodOne(t *testing.T) {
	good, moves := file(t, "v2"), file(t, "moves")
	plain, metered := own(t, good)
	_, ofAnother := own(t, moves)
	for name, refused := range map[string]struct {
		file  []byte
		code  upgrade.Code
		words string
	}{
		"a start section":             {with(t, good, startSection, []byte{9}), upgrade.CodeHandlerOpcode, "start section"},
		"a memory over the limit":     {with(t, good, memorySection, []byte{1, 0, 0x81, 2}), upgrade.CodeHandlerMemory, "257 pages"},
		"an import that is missing":   {bytes.ReplaceAll(good, []byte("store_write"), []byte("store_wrote")), upgrade.CodeHandlerImport, "store_wrote"},
		"the file itself as metered":  {carrying(plain, plain), upgrade.CodeHandlerMetered, notMetered},
		"metered, of another handler": {carrying(plain, ofAnother), upgrade.CodeHandlerMetered, notMetered},
		"metered, with a start":       {carrying(plain, with(t, metered, startSection, []byte{9})), upgrade.CodeHandlerMetered, notMetered},
		"metered, with a larger memory": {
			carrying(plain, with(t, metered, memorySection, []byte{1, 1, 1, 0x81, 4})), upgrade.CodeHandlerMetered, notMetered,
		},
		"metered, with gas of its own": {carrying(plain, meteredGas(t, metered)), upgrade.CodeHandlerMetered, notMetered},
		"metered, cut short":           {carrying(plain, metered[:len(metered)-3]), upgrade.CodeHandlerMetered, "ends after"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			before := c.pairs(c.stores)
			options := c.options("v2")
			options.Bytes = refused.file
			_, err := sdk.New(options)
			wantCode(t, err, refused.code)
			if !strings.Contains(err.Error(), refused.words) {
				t.Errorf("%v, want %q in it", err, refused.words)
			}
			c.haltsWithoutHandler(before)

			ctx, branch := c.block()
			c.must(c.preBlock(ctx, c.options("v2"), ""))
			branch.Write()
			c.stores.Commit()
			c.isInLayout2()
		})
	}
}

// check.wasm makes the metered module, so a file may leave its own out.
func TestAFileWithoutItsMeteredModuleUpgradesTheChain(t *testing.T) {
	c := newChain(t)
	options := c.options("v2")
	options.Bytes, _ = own(t, options.Bytes)
	ctx, branch := c.block()
	c.must(c.preBlock(ctx, options, ""))
	branch.Write()
	c.stores.Commit()
	c.isInLayout2()
}

// haltsWithoutHandler: the plan is due in this block and the binary has nothing for it.
func (c *chain) haltsWithoutHandler(before string) {
	c.t.Helper()
	ctx, branch := c.block()
	plan := planNow(c)
	c.must(c.keeper.ScheduleUpgrade(ctx, upgradetypes.Plan{Name: plan.Name, Height: plan.Height + 1}))
	branch.Write()
	c.stores.Commit()

	ctx, branch = c.block()
	_, err := upgrademodule.PreBlocker(ctx, c.keeper)
	if err == nil || !strings.Contains(err.Error(), `UPGRADE "v2" NEEDED`) {
		c.t.Fatalf("got %v", err)
	}
	if c.pairs(branch) != before {
		c.t.Fatal("the block's branch differs")
	}
}

// isInLayout2: the new code goes on after the last note.
func (c *chain) isInLayout2() {
	c.t.Helper()
	ctx, _ := c.block()
	versions, err := c.keeper.GetModuleVersionMap(ctx)
	c.must(err)
	if versions[notesStore] != 2 {
		c.t.Fatalf("versions %v", versions)
	}
	store := ctx.KVStore(c.keys[notesStore])
	if next := store.Get([]byte{0}); !bytes.Equal(next, be64(noteCount)) {
		c.t.Fatalf("the next note has number %x", next)
	}
	if !store.Has(noteKey2("owner-6", 6)) || store.Has(noteKey1(6)) {
		c.t.Fatal("note 6 is not in layout 2")
	}
}
