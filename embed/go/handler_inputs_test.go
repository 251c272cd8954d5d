package upgrade

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"
)

// The form of handler-cases.json (test/vectors/README.md).

type handlerVectors struct {
	Guests []struct{ Name, Wasm string }
	Inputs []caseInput
	Cases  []handlerCase
	// RefusedByMeter are refused by hosts that meter.
	RefusedByMeter []handlerCase `json:"refused_by_meter"`
}

type caseInput struct {
	Name    string
	ChainID string `json:"chain_id"`
	Height  string
	Time    struct {
		Seconds string
		Nanos   int64
	}
	Plan     string
	Versions map[string]string
	Stores   map[string]json.RawMessage
}

type handlerCase struct {
	Label, Guest, Input string
	GasLimit            string `json:"gas_limit"`
	// Both are given in cases of the guards, which the others run without.
	ModuleStores map[string][]string `json:"module_stores"`
	VitalModules []string            `json:"vital_modules"`
	BatchBytes   int                 `json:"batch_bytes"`
	Error        Code
	// WithoutMeter: a host that meters takes this file.
	WithoutMeter   bool `json:"without_meter"`
	Said           *string
	Gas            string
	MemoryPages    uint32 `json:"memory_pages"`
	Versions       map[string]string
	Checks         []Check
	Stores         map[string]storeOutcome
	Logs, Progress json.RawMessage
}

type storeOutcome struct {
	Written, Deleted, Bytes uint64
	Writes                  int
	WritesSHA256            string `json:"writes_sha256"`
	Pairs                   int
	PairsSHA256             string `json:"pairs_sha256"`
	Root                    string
}

func (r *replay) input(each handlerCase) Input {
	given := r.inputs[each.Input]
	seconds, err := strconv.ParseInt(given.Time.Seconds, 10, 64)
	must(r, err)
	input := Input{
		ChainID: given.ChainID, Height: int64(number(r, given.Height)), Time: time.Unix(seconds, given.Time.Nanos).UTC(),
		PlanBytes: fromHex(r, given.Plan), Versions: versionsOf(r, given.Versions), Stores: Stores{},
		ModuleStores: each.ModuleStores, VitalModules: each.VitalModules,
		WithoutGuards: each.ModuleStores == nil && each.VitalModules == nil,
		batchBytes:    each.BatchBytes,
	}
	if each.GasLimit != "" {
		input.GasLimit, input.isExactLimit = number(r, each.GasLimit), true
	}
	for name, pairs := range given.Stores {
		input.Stores[name] = caseStore(r, pairs)
	}
	return input
}

func number(t testing.TB, text string) uint64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return uint64(value)
	}
	unsigned, err := strconv.ParseUint(text, 10, 64)
	must(t, err)
	return unsigned
}

func versionsOf(t testing.TB, texts map[string]string) VersionMap {
	versions := VersionMap{}
	for module, text := range texts {
		versions[module] = number(t, text)
	}
	return versions
}

// caseStore has pairs as they are listed, or by the rule of test/vectors/README.md.
func caseStore(r *replay, pairs json.RawMessage) *MemoryStore {
	if pairs[0] == '[' {
		var list [][2]string
		must(r, json.Unmarshal(pairs, &list))
		return storeOf(r.T, list)
	}
	var rule struct {
		Count      uint64
		Prefix     string
		KeyBytes   int    `json:"key_bytes"`
		ValueBytes [2]int `json:"value_bytes"`
	}
	must(r, json.Unmarshal(pairs, &rule))
	store := &MemoryStore{}
	for i := range rule.Count {
		h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i))
		length := rule.ValueBytes[0] + (int(h[31])*256+int(h[30]))%(rule.ValueBytes[1]-rule.ValueBytes[0]+1)
		value := make([]byte, length)
		for at := range value {
			value[at] = h[at%32]
		}
		must(r, store.Set(append(fromHex(r, rule.Prefix), h[:rule.KeyBytes]...), value))
	}
	return store
}

func digestOf(r *replay, store KVStore) (count int, digest string) {
	hash := sha256.New()
	iterator, err := store.Iterator(nil, nil)
	must(r, err)
	for ; iterator.Valid(); iterator.Next() {
		hash.Write(appendFrame(nil, iterator.Key(), iterator.Value()))
		count++
	}
	return count, hex.EncodeToString(hash.Sum(nil))
}

func (r *replay) storePairs(stores Stores) map[string]string {
	all := map[string]string{}
	for name, store := range stores {
		count, digest := digestOf(r, store)
		all[name] = fmt.Sprint(count, " ", digest)
	}
	return all
}
