package upgrade

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// typedArgs are the arguments of a recorded call: its numbers and its inputs.
type typedArgs struct {
	numbers []int64
	inputs  [][]byte
}

func argsOf(t *testing.T, call coreCall) typedArgs {
	var args typedArgs
	for _, arg := range call.Args {
		kind, text, _ := strings.Cut(arg, ":")
		switch kind {
		case "in":
			args.inputs = append(args.inputs, fromHex(t, text))
		case "i32", "i64":
			value, err := strconv.ParseInt(text, 10, 64)
			must(t, err)
			args.numbers = append(args.numbers, value)
		}
	}
	return args
}

// typed are the methods of Core by the export that they call: a number, or bytes (nil: absent).
var typed = map[string]func(c *Core, store KVStore, a typedArgs) (number int64, bytes []byte, err error){
	"plan_get": func(c *Core, s KVStore, _ typedArgs) (int64, []byte, error) { return asBytes(c.PlanBytes(s)) },
	"receipt_get": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		return asBytes(c.Receipt(s, string(a.inputs[0])))
	},
	"done_height": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		height, err := c.DoneHeight(s, string(a.inputs[0]))
		return height, nil, err
	},
	"last_done": func(c *Core, s KVStore, _ typedArgs) (int64, []byte, error) {
		done, err := c.LastDone(s)
		if done == nil {
			return 0, nil, err
		}
		return 0, append(binary.LittleEndian.AppendUint64(nil, uint64(done.Height)), done.Name...), err
	},
	"version_get": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		version, ok, err := c.Version(s, string(a.inputs[0]))
		if !ok {
			return 0, nil, err
		}
		return 0, binary.LittleEndian.AppendUint64(nil, version), err
	},
	"version_map_get": func(c *Core, s KVStore, _ typedArgs) (int64, []byte, error) {
		versions, err := c.VersionMap(s)
		return 0, append([]byte{}, versions.Encode()...), err
	},
	"plan_schedule": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		return 0, nil, c.ScheduleBytes(s, a.numbers[0], a.inputs[0])
	},
	"plan_clear": func(c *Core, s KVStore, _ typedArgs) (int64, []byte, error) { return 0, nil, c.Clear(s) },
	"pre_block": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		f := a.numbers[1]
		decision, err := c.PreBlock(s, a.numbers[0], Facts{f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0})
		return int64(decision), nil, err
	},
	"receipt_set": func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
		return 0, nil, c.SetReceipt(s, string(a.inputs[0]), a.inputs[1])
	},
	"key_plan":     func(c *Core, _ KVStore, _ typedArgs) (int64, []byte, error) { return asBytes(c.PlanKey()) },
	"key_protocol": func(c *Core, _ KVStore, _ typedArgs) (int64, []byte, error) { return asBytes(c.ProtocolKey()) },
	"key_done": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		return asBytes(c.DoneKey(string(a.inputs[0])))
	},
	"key_version": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		return asBytes(c.VersionKey(string(a.inputs[0])))
	},
	"key_receipt": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		return asBytes(c.ReceiptKey(string(a.inputs[0])))
	},
	// What is decoded is encoded again: fields of a text that is not UTF-8 have no Plan.
	"plan_decode": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		plan, err := c.DecodePlan(a.inputs[0])
		if err != nil && strings.Contains(err.Error(), "must be UTF-8") {
			return asBytes(c.pure("plan_decode", nil, a.inputs[0]))
		}
		if err != nil {
			return 0, nil, err
		}
		return asBytes(plan.fields())
	},
	"plan_validate": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		return 0, nil, c.ValidatePlan(a.inputs[0])
	},
	"halt_text": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		text, err := c.HaltText(Decision(a.numbers[0]), a.numbers[1], uint64(a.numbers[2]), a.inputs[0])
		return 0, []byte(text), err
	},
	"upgrade_info": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		return asBytes(c.UpgradeInfo(a.numbers[0], a.inputs[0]))
	},
	"cancellable_height": func(c *Core, _ KVStore, a typedArgs) (int64, []byte, error) {
		n := a.numbers
		height, err := c.CancellableHeight(n[0], time.Duration(n[1]), time.Duration(n[2]), time.Duration(n[3]), time.Duration(n[4]))
		return height, nil, err
	},
}

func asBytes(bytes []byte, err error) (int64, []byte, error) { return 0, bytes, err }

// The recorded calls again by Core's methods. A flag that Facts does not have, and a version map or names that no
// VersionMap encodes to, are of the interface below them alone.
func TestCoreCalls_byTheirMethods(t *testing.T) {
	var file struct{ Cases []coreCase }
	readVectors(t, "core-calls.json.gz", &file)
	core := newCore(t)
	counts := map[string]int{}
	for _, each := range file.Cases {
		store := &MemoryStore{}
		for index, call := range each.Calls {
			if call.Before != nil {
				store = storeOf(t, *call.Before)
			}
			after := pairsOf(t, store)
			if call.Store != nil {
				after = *call.Store
			}
			method, args := methodOf(call.Call, argsOf(t, call))
			if method != nil && !(call.Call == "pre_block" && args.numbers[1]&^15 != 0) {
				counts[call.Call]++
				sameTyped(t, core, store, call, method, args, fmt.Sprintf("%s, call %d", each.Label, index))
			} else {
				store = storeOf(t, after)
			}
			if got := pairsOf(t, store); !reflect.DeepEqual(got, after) {
				t.Fatalf("%s, call %d: the store is %v, want %v", each.Label, index, got, after)
			}
		}
	}
	for name := range typed {
		if counts[name] == 0 {
			t.Errorf("no call of %s was compared", name)
		}
	}
	t.Log(counts)
}

// numbersOf a call that takes some; where a recorded call has more, it gives pointers of its own.
var numbersOf = map[string]int{
	"plan_schedule": 1, "pre_block": 2, "apply": 1, "halt_text": 3, "upgrade_info": 1, "cancellable_height": 5,
}

type typedMethod = func(c *Core, store KVStore, a typedArgs) (int64, []byte, error)

// methodOf also finds those whose inputs are decoded first; nil: the inputs have no decoded form.
func methodOf(name string, args typedArgs) (typedMethod, typedArgs) {
	if len(args.numbers) != numbersOf[name] {
		return nil, args
	}
	switch name {
	case "version_map_set":
		versions, err := DecodeVersionMap(args.inputs[0])
		if err != nil || string(versions.Encode()) != string(args.inputs[0]) {
			return nil, args
		}
		return func(c *Core, s KVStore, _ typedArgs) (int64, []byte, error) {
			return 0, nil, c.SetVersionMap(s, versions)
		}, args
	case "plan_encode":
		plan, err := planOfFields(args.inputs[0])
		if err != nil {
			return nil, args
		}
		if fields, _ := plan.fields(); string(fields) != string(args.inputs[0]) {
			return nil, args
		}
		return func(c *Core, _ KVStore, _ typedArgs) (int64, []byte, error) { return asBytes(c.EncodePlan(plan)) }, args
	case "apply":
		versions, err := DecodeVersionMap(args.inputs[1])
		if err != nil || string(versions.Encode()) != string(args.inputs[1]) || len(args.inputs[2]) > 0 {
			return nil, args
		}
		return func(c *Core, s KVStore, a typedArgs) (int64, []byte, error) {
			return 0, nil, c.Apply(s, a.numbers[0], a.inputs[0], versions, nil)
		}, args
	}
	return typed[name], args
}

func sameTyped(t *testing.T, core *Core, store KVStore, call coreCall, method typedMethod, args typedArgs, where string) {
	t.Helper()
	number, bytes, err := method(core, store, args)
	result, _ := strconv.ParseInt(call.Result, 10, 64)
	switch {
	case call.Error != nil:
		if got := codeOf(err); got != coreCodes[call.Error.Code] {
			t.Errorf("%s, %s: failed with %v, want %s", where, call.Call, err, coreCodes[call.Error.Code])
		}
	case err != nil:
		t.Errorf("%s, %s: %v", where, call.Call, err)
	case result == -absent && (bytes != nil || number != 0):
		t.Errorf("%s, %s: got %d and %x, want nothing", where, call.Call, number, bytes)
	case bytes != nil && (int64(len(bytes)) != result || call.Out != "" && hex.EncodeToString(bytes) != call.Out):
		t.Errorf("%s, %s: got %x, want %s bytes %s", where, call.Call, bytes, call.Result, call.Out)
	case bytes == nil && result != -absent && number != result:
		t.Errorf("%s, %s: got %d, want %s", where, call.Call, number, call.Result)
	}
}
