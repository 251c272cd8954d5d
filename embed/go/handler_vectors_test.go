package upgrade

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"testing"
)

// Every run of a handler that the repository recorded on its own host: codes, gas, counts, writes, pairs, roots,
// checks and logs.
func TestHandlerCases(t *testing.T) {
	var file handlerVectors
	readVectors(t, "handler-cases.json.gz", &file)
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			newReplay(t, &file, mode.interpreter).all()
		})
	}
}

// Files that only a host with a meter can refuse.
func TestHandlerCases_refusedByMeter(t *testing.T) {
	var file handlerVectors
	readVectors(t, "handler-cases.json.gz", &file)
	if len(file.RefusedByMeter) == 0 {
		t.Fatal("there is none")
	}
	cases := newReplay(t, &file, false)
	for _, each := range file.RefusedByMeter {
		cases.refused(each)
	}
}

type replay struct {
	*testing.T
	file        *handlerVectors
	interpreter bool
	files       map[string][]byte
	handlers    map[string]*Handler
	inputs      map[string]*caseInput
}

func newReplay(t *testing.T, file *handlerVectors, interpreter bool) *replay {
	r := &replay{t, file, interpreter, map[string][]byte{}, map[string]*Handler{}, map[string]*caseInput{}}
	for _, guest := range file.Guests {
		wasm, err := base64.StdEncoding.DecodeString(guest.Wasm)
		must(t, err)
		r.files[guest.Name] = wasm
	}
	for i := range file.Inputs {
		r.inputs[file.Inputs[i].Name] = &file.Inputs[i]
	}
	t.Cleanup(func() {
		for _, handler := range r.handlers {
			_ = handler.Close(context.Background())
		}
	})
	return r
}

func (r *replay) all() {
	count := 0
	for i, each := range r.file.Cases {
		switch {
		case i%sampleStep(r.interpreter) != 0:
			continue
		case each.Input == "":
			r.refused(each)
		default:
			r.run(each)
		}
		count++
	}
	r.Logf("%d of %d cases", count, len(r.file.Cases))
}

func (r *replay) refused(each handlerCase) {
	handler, err := LoadHandler(context.Background(), r.files[each.Guest], LoadOptions{Interpreter: r.interpreter})
	if err == nil {
		_ = handler.Close(context.Background())
	}
	want := each.Error
	// check.wasm is a meter.
	if each.WithoutMeter {
		want = ""
	}
	if got := codeOf(err); got != want {
		r.Errorf("%s: got %q (%v), want %q", each.Label, got, err, want)
	}
}

func (r *replay) handler(name string) *Handler {
	if handler, ok := r.handlers[name]; ok {
		return handler
	}
	handler, err := LoadHandler(context.Background(), r.files[name], LoadOptions{Interpreter: r.interpreter})
	if err != nil {
		r.Fatalf("%s: %v", name, err)
	}
	r.handlers[name] = handler
	return handler
}

func (r *replay) run(each handlerCase) {
	var logs, progress []string
	input := r.input(each)
	input.Log = func(level LogLevel, text string) { logs = append(logs, fmt.Sprintf("%s %s", level, text)) }
	input.Progress = func(done, total int64) { progress = append(progress, fmt.Sprintf("%d/%d", done, total)) }
	before := r.storePairs(input.Stores)
	run, err := r.handler(each.Guest).Run(context.Background(), input)
	if got := codeOf(err); got != each.Error {
		r.Errorf("%s: ended with %q (%v), want %q", each.Label, got, err, each.Error)
		return
	}
	r.sameLines(each.Label+": logs", logs, each.Logs)
	r.sameLines(each.Label+": progress", progress, each.Progress)
	if err != nil {
		r.sameFailure(each, err)
	} else {
		r.sameReport(each, run.Report)
	}
	if after := r.storePairs(input.Stores); !reflect.DeepEqual(before, after) {
		r.Errorf("%s: the run wrote to the stores", each.Label)
	}
	if run != nil {
		r.sameStores(each, run, input.Stores)
	}
}

func (r *replay) sameFailure(each handlerCase, err error) {
	var failure *Error
	errors.As(err, &failure)
	if each.Gas != "" && failure.Details["gas"] != each.Gas {
		r.Errorf("%s: failed after %s gas, want %s", each.Label, failure.Details["gas"], each.Gas)
	}
	if each.Said != nil && failure.Details["message"] != *each.Said {
		r.Errorf("%s: said %q, want %q", each.Label, failure.Details["message"], *each.Said)
	}
}

func (r *replay) sameReport(each handlerCase, report Report) {
	if got := strconv.FormatUint(report.Gas, 10); got != each.Gas {
		r.Errorf("%s: used %s gas, want %s", each.Label, got, each.Gas)
	}
	if report.MemoryPages != each.MemoryPages {
		r.Errorf("%s: %d pages, want %d", each.Label, report.MemoryPages, each.MemoryPages)
	}
	if want := versionsOf(r, each.Versions); !reflect.DeepEqual(report.Versions, want) {
		r.Errorf("%s: versions %v, want %v", each.Label, report.Versions, want)
	}
	if len(report.Checks)+len(each.Checks) > 0 && !reflect.DeepEqual(report.Checks, each.Checks) {
		r.Errorf("%s: checks %v, want %v", each.Label, report.Checks, each.Checks)
	}
}

// sameStores looks at the writes, hands them on, and looks at the stores.
func (r *replay) sameStores(each handlerCase, run *Run, stores Stores) {
	got := map[string]storeOutcome{}
	for _, store := range run.Report.Stores {
		writes := 0
		must(r, run.Each(store.Name, func(_, _ []byte, _ bool) error { writes++; return nil }))
		got[store.Name] = storeOutcome{
			Written: store.Written, Deleted: store.Deleted, Bytes: store.Bytes, Writes: writes, WritesSHA256: store.SHA256,
			Root: rootAfter(r, stores[store.Name], run, store.Name),
		}
	}
	must(r, run.Write())
	for name, outcome := range got {
		outcome.Pairs, outcome.PairsSHA256 = digestOf(r, stores[name])
		got[name] = outcome
	}
	if !reflect.DeepEqual(got, each.Stores) {
		r.Errorf("%s: stores\n got %+v\nwant %+v", each.Label, got, each.Stores)
	}
}

const linesMax = 32

func (r *replay) sameLines(where string, lines []string, want json.RawMessage) {
	var got any
	switch {
	case len(lines) == 0:
		got = nil
	case len(lines) <= linesMax:
		got = lines
	default:
		digest := sha256.New()
		for _, line := range lines {
			digest.Write([]byte(line + "\n"))
		}
		got = map[string]any{"lines": len(lines), "sha256": hex.EncodeToString(digest.Sum(nil))}
	}
	text, err := json.Marshal(got)
	must(r, err)
	if len(want) == 0 {
		want = json.RawMessage("null")
	}
	var a, b any
	must(r, json.Unmarshal(text, &a))
	must(r, json.Unmarshal(want, &b))
	if !reflect.DeepEqual(a, b) {
		r.Errorf("%s: got %s, want %s", where, text, want)
	}
}
