package upgrade

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
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
	numbers := maps.Clone(coreCodes)
	maps.Copy(numbers, checkCodes)
	for number, code := range numbers {
		if known[code] != strconv.Itoa(int(number)) {
			t.Errorf("%s has number %s, here %d", code, known[code], number)
		}
	}
}

// Names of docs/gas.md, "What the host does", and what they cost here.
var pricesByName = map[string]int{
	"fileByte": priceFileByte, "hostCall": priceHostCall, "store_get": priceGet, "store_scan": priceScan,
	"scanPassed": priceScanPassed, "scanPassedByte": priceScanPassedByte, "put": pricePut, "writeAlone": priceWriteAlone,
	"delete": priceDelete, "store_write": priceStoreWrite, "scanPair": priceScanPair, "log": priceLog,
	"progress": priceProgress, "logByte": priceLogByte, "byte": priceByte, "longByte": priceLongByte,
}

// Names of docs/abi.md, "Limits", of those that this host itself checks; check.wasm checks the others.
var limitsByName = map[string]int{
	"HANDLER_BYTES_MAX": handlerBytesMax, "MANIFEST_BYTES_MAX": manifestBytesMax, "MODULE_NAME_BYTES_MAX": moduleNameBytesMax,
	"VERSION_MAP_MODULES_MAX": versionMapModulesMax, "GAS_LIMIT_MAX": gasLimitMax, "MEMORY_PAGES_MAX": memoryPagesMax,
	"KEY_BYTES_MAX": keyBytesMax, "VALUE_BYTES_MAX": valueBytesMax, "BATCH_BYTES": batchBytes, "BATCH_OUT_BYTES": batchOutBytes,
	"LOG_BYTES_MAX": logBytesMax, "LOG_LINES_MAX": logLinesMax, "FAIL_MESSAGE_BYTES_MAX": failMessageBytesMax, "CHECKS_MAX": checksMax,
	"CHECK_NAME_BYTES_MAX": checkNameMax, "CHECK_MESSAGE_BYTES_MAX": checkMessageMax, "RECEIPT_BYTES_MAX": receiptBytesMax,
	"STACK_BUDGET": stackBudget, "WRITES_ALONE": writesAlone,
}

func TestPrices_areThoseOfTheDocument(t *testing.T) {
	page := document(t, "docs/gas.md")
	if !strings.Contains(page, "schedule `"+gasSchedule+"`") {
		t.Error("the document is of another schedule")
	}
	_, table, _ := strings.Cut(page, "## What the host does")
	found := numbersIn(t, table, "(?m)^\\| `([A-Za-z_]+)` \\| .+? \\| ([0-9,]+) \\|$")
	if !reflect.DeepEqual(found, pricesByName) {
		t.Errorf("the document has\n%v, here are\n%v", found, pricesByName)
	}
}

func TestLimits_areThoseOfTheDocument(t *testing.T) {
	_, table, _ := strings.Cut(document(t, "docs/abi.md"), "### Limits")
	table, _, _ = strings.Cut(table, "###")
	found := numbersIn(t, table, "(?m)^\\| `([A-Z_]+)` \\| ([0-9,]+) \\|$")
	for name, here := range limitsByName {
		if due, ok := found[name]; !ok || here != due {
			t.Errorf("%s is %d in the document, here %d", name, due, here)
		}
	}
}

func numbersIn(t *testing.T, table, row string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, each := range regexp.MustCompile(row).FindAllStringSubmatch(table, -1) {
		value, err := strconv.Atoi(strings.ReplaceAll(each[2], ",", ""))
		must(t, err)
		found[each[1]] = value
	}
	return found
}

func TestCheckWasm_isTheOneOfTheInterface(t *testing.T) {
	var abi struct {
		Check struct {
			SHA256  string
			Version struct{ Major int32 }
			Memory  struct{ PagesMax int }
		}
	}
	must(t, json.Unmarshal([]byte(document(t, "assembly/abi.json")), &abi))
	if abi.Check.SHA256 != checkSHA256 || abi.Check.Version.Major != checkABIMajor || abi.Check.Memory.PagesMax != checkPagesMax {
		t.Errorf("the interface is of %+v, this host of %s, %d", abi.Check, checkSHA256, checkABIMajor)
	}
}
