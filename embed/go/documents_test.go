package upgrade

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// document is a page of the repository; a module that was downloaded alone has none.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is in the repository, not in the module", path)
	}
	must(t, err)
	return string(text)
}

func TestCodes_areThoseOfTheDocument(t *testing.T) {
	page := document(t, "docs/errors.md")
	known := map[Code]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| <a [^>]*></a>`(UPG_[A-Z_]+)` \\| ([0-9]+) ").FindAllStringSubmatch(page, -1) {
		known[Code(row[1])] = row[2]
	}
	source, err := os.ReadFile("codes.go")
	must(t, err)
	for _, code := range regexp.MustCompile(`"(UPG_[A-Z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		if known[Code(code[1])] == "" {
			t.Errorf("%s is no code", code[1])
		}
	}
	for number, code := range coreCodes {
		if known[code] != strconv.Itoa(int(number)) {
			t.Errorf("%s has number %s, here %d", code, known[code], number)
		}
	}
}

// Rows of docs/gas.md, "What the host does", and what they are called here.
var priceRows = map[string]int{
	"each byte of the file, before anything runs": priceFileByte,
	"each call that the host makes:":              priceHostCall,
	"`store_get`":                                 priceGet,
	"`store_scan`":                                priceScan,
	"each key that the handler deleted and that a `store_scan` goes by": priceScanPassed,
	"each byte of such a key":                                            priceScanPassedByte,
	"`store_set`, and each put in frames":                                pricePut,
	"each of the first 10,000 writes and deletes of a run, besides":      priceWriteAlone,
	"`store_delete`, and each delete in frames":                          priceDelete,
	"`store_write`, besides its frames":                                  priceStoreWrite,
	"each pair that a `store_scan` gives, and each of a manifest's scan": priceScanPair,
	"`log`":                                priceLog,
	"`progress`":                           priceProgress,
	"each byte of a log line, up to 4,096": priceLogByte,
	"each byte that crosses, either way":   priceByte,
	"each byte of a key, or of a value that is written, beyond its first 1,024, besides": priceLongByte,
	"`fail`, `abort`: the run ends there":                                                0,
}

func TestPrices_areThoseOfTheDocument(t *testing.T) {
	page := document(t, "docs/gas.md")
	_, table, ok := strings.Cut(page, "A call of an import costs the `call` and:")
	if !ok || !strings.Contains(page, "schedule `"+gasSchedule+"`") {
		t.Fatal("the document is of another form, or of another schedule")
	}
	rows := regexp.MustCompile(`(?m)^\| (.+?) \| ([0-9,]+) \|$`).FindAllStringSubmatch(strings.SplitN(table, "\n\n", 3)[1], -1)
	if len(rows) != len(priceRows) {
		t.Errorf("%d rows, %d are known", len(rows), len(priceRows))
	}
	for _, row := range rows {
		if price, ok := priceOf(row[1]); !ok || strconv.Itoa(price) != strings.ReplaceAll(row[2], ",", "") {
			t.Errorf("%s costs %s, here %d (%v)", row[1], row[2], price, ok)
		}
	}
}

// priceOf finds the row by the longest beginning.
func priceOf(row string) (price int, ok bool) {
	longest := -1
	for beginning, each := range priceRows {
		if strings.HasPrefix(row, beginning) && len(beginning) > longest {
			price, ok, longest = each, true, len(beginning)
		}
	}
	return price, ok
}
