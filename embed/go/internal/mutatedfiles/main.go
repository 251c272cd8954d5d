// This host's verdicts on files of a campaign, and what running the taken ones gives: `npm run embed:mutated` compares all
// hosts.
//
//	mutatedfiles FILES VERDICTS RUNS
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"
	"strconv"
	"time"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

const (
	gas         = 3_000_000
	fileByteGas = 1_000
)

type verdict map[string]any

func main() {
	files, err := os.ReadFile(os.Args[1])
	must(err)
	runs, err := strconv.Atoi(os.Args[3])
	must(err)
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	var spent time.Duration
	for count := 0; len(files) > 0; count++ {
		length := binary.LittleEndian.Uint32(files)
		file := files[4 : 4+length]
		files = files[4+length:]
		start := time.Now()
		handler, err := upgrade.LoadHandler(context.Background(), file, upgrade.LoadOptions{})
		spent += time.Since(start)
		found := verdict{}
		switch {
		case err != nil:
			found = refused(err)
		case runs > 0 && count%runs == 0:
			found = ran(handler, len(file))
		}
		must(lines.Encode(found))
		if handler != nil {
			must(handler.Close(context.Background()))
		}
	}
	must(lines.Encode(verdict{"milliseconds": float64(spent.Microseconds()) / 1e3}))
	must(os.WriteFile(os.Args[2], out.Bytes(), 0o600))
}

func refused(err error) verdict {
	failure := failureOf(err)
	return verdict{
		"code": failure.Code, "function": failure.Details["function"], "offset": failure.Details["offset"],
	}
}

func failureOf(err error) *upgrade.Error {
	var failure *upgrade.Error
	if !errors.As(err, &failure) {
		log.Fatal(err)
	}
	return failure
}

// ran over empty stores.
func ran(handler *upgrade.Handler, size int) verdict {
	stores := upgrade.Stores{}
	for _, store := range handler.Manifest.Stores {
		stores[store.Name] = &upgrade.MemoryStore{}
	}
	versions := upgrade.VersionMap{}
	for module, each := range handler.Manifest.Versions {
		if len(each.From) > 0 {
			versions[module] = each.From[0]
		}
	}
	run, err := handler.Run(context.Background(), upgrade.Input{
		ChainID: "test-1", Height: 7, Time: time.Unix(1_700_000_000, 0), PlanBytes: []byte{}, Versions: versions,
		Stores: stores, GasLimit: gas + fileByteGas*uint64(size), WithoutGuards: true,
	})
	if err != nil {
		failure := failureOf(err)
		return verdict{"end": failure.Code, "gas": failure.Details["gas"], "receipt": ""}
	}
	encoded, err := run.Receipt(nil).Encode()
	must(err)
	receipt := sha256.Sum256(encoded)
	must(run.Discard())
	return verdict{
		"end": "done", "gas": strconv.FormatUint(run.Report.Gas, 10), "receipt": hex.EncodeToString(receipt[:]),
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
