package upgrade

import (
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

type coreCall struct {
	Before *[][2]string
	Call   string
	Args   []string
	Result string
	Out    string
	Error  *struct {
		Code    uint32
		Message string
	}
	Store *[][2]string
}

type coreCase struct {
	Label string
	Calls []coreCall
}

// Every call of core.wasm that the repository recorded, made again as it was: results, bytes, errors and the store.
func TestCoreCalls(t *testing.T) {
	var file struct{ Cases []coreCase }
	readVectors(t, "core-calls.json.gz", &file)
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			core, err := NewCore(context.Background(), CoreOptions{Interpreter: mode.interpreter})
			must(t, err)
			defer core.Close(context.Background())
			calls, all := 0, 0
			for i, each := range file.Cases {
				all += len(each.Calls)
				if i%sampleStep(mode.interpreter) == 0 {
					calls += len(each.Calls)
					replayCalls(t, core, each)
				}
			}
			t.Logf("%d of %d calls", calls, all)
		})
	}
}

func replayCalls(t *testing.T, core *Core, each coreCase) {
	t.Helper()
	store := &MemoryStore{}
	for index, call := range each.Calls {
		if call.Before != nil {
			store = storeOf(t, *call.Before)
		}
		before := pairsOf(t, store)
		result, out, failure := perform(t, core, store, call)
		where := fmt.Sprintf("%s, call %d, %s", each.Label, index, call.Call)
		if result != call.Result || out != call.Out {
			t.Errorf("%s: got %s %s, want %s %s", where, result, out, call.Result, call.Out)
		}
		want := ""
		if call.Error != nil {
			want = fmt.Sprintf("%s %s", coreCodes[call.Error.Code], call.Error.Message)
		}
		if failure != want {
			t.Errorf("%s: failed with %q, want %q", where, failure, want)
		}
		if call.Store != nil {
			before = *call.Store
		}
		if after := pairsOf(t, store); !reflect.DeepEqual(after, before) {
			t.Errorf("%s: the store is %v, want %v", where, after, before)
		}
	}
}

// perform makes a call by its name, below the decoded methods.
func perform(t *testing.T, core *Core, store KVStore, call coreCall) (result, out, failure string) {
	err := core.run(store, func(live *coreInstance) error {
		var args []uint64
		var room span
		for _, arg := range call.Args {
			kind, text, _ := strings.Cut(arg, ":")
			switch kind {
			case "in":
				inputs, err := live.inputs(fromHex(t, text))
				must(t, err)
				args = append(args, inputs...)
			case "out":
				length, err := strconv.Atoi(text)
				must(t, err)
				room = allocated(t, live, length)
				args = append(args, uint64(room.pointer), uint64(room.length))
			default:
				number, err := strconv.ParseInt(text, 10, 64)
				must(t, err)
				args = append(args, uint64(number))
			}
		}
		value, err := live.call(call.Call, args...)
		result = strconv.FormatInt(value, 10)
		if err != nil {
			return err
		}
		if value > 0 && value <= int64(room.length) {
			bytes, _ := live.memory.Read(room.pointer, uint32(value))
			out = hex.EncodeToString(bytes)
		}
		return nil
	})
	if err == nil {
		return result, out, ""
	}
	own := err.(*Error)
	if own.Code == CodeBugCoreTrap {
		result = "trap"
	}
	message, _ := strings.CutPrefix(own.Message, "core.wasm trapped in "+call.Call+": ")
	return result, out, fmt.Sprintf("%s %s", own.Code, message)
}

// allocated: a room may be larger than what the inputs left of the scratch area.
func allocated(t *testing.T, live *coreInstance, length int) span {
	pointer, err := live.invoke("core_alloc", uint64(length))
	must(t, err)
	return span{uint32(pointer), uint32(length)}
}

func storeOf(t *testing.T, pairs [][2]string) *MemoryStore {
	store := &MemoryStore{}
	for _, pair := range pairs {
		must(t, store.Set(fromHex(t, pair[0]), fromHex(t, pair[1])))
	}
	return store
}

func pairsOf(t *testing.T, store KVStore) [][2]string {
	pairs := [][2]string{}
	iterator, err := store.Iterator(nil, nil)
	must(t, err)
	for ; iterator.Valid(); iterator.Next() {
		pairs = append(pairs, [2]string{hex.EncodeToString(iterator.Key()), hex.EncodeToString(iterator.Value())})
	}
	return pairs
}
