// rekey-bench measures a handler beside the same migration in Go, over the Cosmos SDK's stores with IAVL on goleveldb: every
// record of a store (32 + 100 bytes) is re-keyed into another one, the old one is deleted, and the block is committed.
//
//	go run ./cmd/rekey-bench --pairs 1000000 --rounds 3
//
// Both run by turns in this process, each on a copy of the same database of its own. The roots must be equal.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	pairs := flag.Int("pairs", 20_000, "records to re-key")
	rounds := flag.Int("rounds", 3, "rounds; each runs both")
	least := flag.Float64("least", 0, "fail when the handler is slower than this part of Go's speed")
	file := flag.String("handler", filepath.Join("..", "testdata", "rekey.wasm"), "the handler")
	flag.Parse()
	if err := bench(*file, *pairs, *rounds, *least); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(file string, pairs, rounds int, least float64) error {
	dir, err := os.MkdirTemp("", "rekey-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "source")
	if err := prepare(source, pairs); err != nil {
		return err
	}
	var inGo, inWasm []measured
	for round := range rounds {
		both, err := turn(dir, source, file, round)
		if err != nil {
			return err
		}
		inGo, inWasm = append(inGo, both[0]), append(inWasm, both[1])
		if string(both[0].root) != string(both[1].root) {
			return fmt.Errorf("roots differ: Go %x, handler %x", both[0].root, both[1].root)
		}
	}
	fmt.Printf("%d pairs re-keyed, %d rounds, root %X in all\n", pairs, rounds, inGo[0].root)
	show("Go", inGo)
	show("handler", inWasm)
	report := inWasm[0].report
	fmt.Printf("handler: gas %d, overlay %d bytes in memory, %d spilled\n", report.Gas, report.OverlayBytes, report.SpilledBytes)
	ratio := speed(inGo, inWasm, func(m measured) time.Duration { return m.upgrade + m.commit })
	fmt.Printf("speed of the handler against Go, whole block, medians: %.2f x by time, %.2f x by CPU\n", ratio,
		speed(inGo, inWasm, func(m measured) time.Duration { return m.cpu }))
	if ratio < least {
		return fmt.Errorf("that is below %.2f x", least)
	}
	return nil
}

// turn runs both, and the one that begins changes from round to round.
func turn(dir, source, file string, round int) (both [2]measured, err error) {
	order := []int{0, 1}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	for _, which := range order {
		copied := filepath.Join(dir, "copy")
		if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
			return both, err
		}
		files := []string{"", file}
		if both[which], err = migrate(copied, files[which]); err != nil {
			return both, err
		}
		if err := os.RemoveAll(copied); err != nil {
			return both, err
		}
	}
	return both, nil
}

func show(name string, all []measured) {
	for _, each := range all {
		fmt.Printf("%-8s block %v = upgrade %v + commit %v; CPU %v\n", name,
			round(each.upgrade+each.commit), round(each.upgrade), round(each.commit), round(each.cpu))
	}
}

func round(elapsed time.Duration) time.Duration { return elapsed.Round(time.Millisecond) }

func speed(inGo, inWasm []measured, of func(measured) time.Duration) float64 {
	return median(inGo, of).Seconds() / median(inWasm, of).Seconds()
}

func median(all []measured, of func(measured) time.Duration) time.Duration {
	var times []time.Duration
	for _, each := range all {
		times = append(times, of(each))
	}
	slices.Sort(times)
	return times[len(times)/2]
}
