package upgrade

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wire"
)

const functionNameBytesMax = 200

// checkedFile is what check.wasm found: its message FileCheck (docs/abi.md), and the metered module.
type checkedFile struct {
	// findings are what is wrong; with none the file is a handler.
	findings []finding
	// functions are names of those that findings are about.
	functions map[uint64]string
	// manifest is nil when it could not be read. It may be there beside findings.
	manifest *Manifest
	// gasSchedule by which the file was metered; "" with findings.
	gasSchedule string
	// metered is empty with findings.
	metered []byte
}

type finding struct {
	code    Code
	message string
	// offset in the file, and index of the function; nil: the finding is about none.
	offset, function *uint64
}

// checkCodes are the numbers of the codes that findings have.
var checkCodes = map[uint32]Code{
	92: CodeHandlerImport, 93: CodeHandlerExport, 94: CodeHandlerOpcode, 95: CodeHandlerLimit, 96: CodeHandlerMemory,
	97: CodeHandlerManifest, 100: CodeHandlerFormat, 103: CodeHandlerMetered,
}

// isRefused reports whether there is more wrong than the metered module that the file carries.
func (checked *checkedFile) isRefused() bool {
	for _, each := range checked.findings {
		if each.code != CodeHandlerMetered {
			return true
		}
	}
	return false
}

// manifestPath is the path in the JSON of a manifest, in a message.
var manifestPath = regexp.MustCompile(`^manifest: (\$(?:\.\w+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*): `)

// failure is the first finding as an error; nil when there is none.
func (checked *checkedFile) failure() *Error {
	if len(checked.findings) == 0 {
		return nil
	}
	failure := checked.failureOf(checked.findings[0])
	if more := len(checked.findings) - 1; more > 0 {
		failure.Message += fmt.Sprintf(" (and %d more: see `chaind handler check`)", more)
	}
	return failure
}

func (checked *checkedFile) failureOf(found finding) *Error {
	failure := newError(found.code, "")
	var where []string
	if found.function != nil {
		name := checked.functions[*found.function]
		if name == "" {
			name = fmt.Sprintf("func[%d]", *found.function)
		}
		name = guesttext.Text([]byte(name), functionNameBytesMax)
		where = append(where, "in function "+name)
		failure.with("function", name)
	}
	if found.offset != nil {
		offset := strconv.FormatUint(*found.offset, 10)
		where = append(where, "at byte "+offset)
		failure.with("offset", offset)
	}
	if len(where) > 0 {
		failure.Message = strings.Join(where, " ") + ": "
	}
	failure.Message += found.message
	if path := manifestPath.FindStringSubmatch(found.message); path != nil && found.code == CodeHandlerManifest {
		failure.with("path", path[1])
	}
	return failure
}

func decodeFileCheck(encoded []byte) (*checkedFile, error) {
	r := &messageReader{}
	fields := r.fields(encoded)
	checked := &checkedFile{findings: list(fields, 1, r.finding), functions: map[uint64]string{}}
	for _, each := range fields[2] {
		name := r.fields(each.Bytes)
		checked.functions[name.number(1)] = name.text(2)
	}
	if fields.has(3) {
		manifest := r.manifest(fields.bytes(3))
		checked.manifest = &manifest
	}
	checked.gasSchedule = r.fields(fields.bytes(4)).text(1)
	return checked, r.err
}

// messageReader keeps the first error; after one, what it returns means nothing.
type messageReader struct{ err error }

// messageFields are the fields of a message by number.
type messageFields map[int][]wire.Field

func (r *messageReader) fields(message []byte) messageFields {
	all, err := wire.ReadAll(message)
	r.fail(err)
	fields := messageFields{}
	for _, each := range all {
		fields[each.Number] = append(fields[each.Number], each)
	}
	return fields
}

func (r *messageReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (f messageFields) has(field int) bool { return len(f[field]) > 0 }

// first is the zero Field where there is none.
func (f messageFields) first(field int) wire.Field {
	if !f.has(field) {
		return wire.Field{}
	}
	return f[field][0]
}

func (f messageFields) number(field int) uint64 { return f.first(field).Value }
func (f messageFields) bytes(field int) []byte  { return f.first(field).Bytes }
func (f messageFields) text(field int) string   { return string(f.bytes(field)) }

// optional is nil where there is none.
func (f messageFields) optional(field int) *uint64 {
	if !f.has(field) {
		return nil
	}
	return &f[field][0].Value
}

func (f messageFields) texts(field int) []string {
	return list(f, field, func(bytes []byte) string { return string(bytes) })
}

func list[T any](fields messageFields, field int, read func([]byte) T) []T {
	var items []T
	for _, each := range fields[field] {
		items = append(items, read(each.Bytes))
	}
	return items
}

func (r *messageReader) finding(message []byte) finding {
	fields := r.fields(message)
	code, ok := checkCodes[uint32(fields.number(1))]
	if !ok {
		r.fail(fmt.Errorf("a finding has the unknown code %d", fields.number(1)))
	}
	return finding{code: code, message: fields.text(2), offset: fields.optional(3), function: fields.optional(4)}
}

func (r *messageReader) manifest(message []byte) Manifest {
	fields := r.fields(message)
	manifest := Manifest{
		ABI: uint32(fields.number(1)), Name: fields.text(2), GasLimit: fields.number(3), Stores: list(fields, 4, r.store),
		StoreUpgrades: StoreUpgrades{Added: fields.texts(5), Renamed: list(fields, 6, r.rename), Deleted: fields.texts(7)},
		Versions:      map[string]ModuleVersions{},
		Removes:       fields.texts(9),
		Scans:         list(fields, 10, r.scan),
		Allows:        r.allows(fields.bytes(11)),
	}
	for _, each := range fields[8] {
		versions := r.fields(each.Bytes)
		manifest.Versions[versions.text(1)] = ModuleVersions{From: r.varints(versions.bytes(2)), To: versions.number(3)}
	}
	return manifest
}

func (r *messageReader) store(message []byte) ManifestStore {
	fields := r.fields(message)
	prefixes := list(fields, 3, func(prefix []byte) []byte { return prefix })
	return ManifestStore{Name: fields.text(1), Writable: fields.number(2) != 0, Prefixes: prefixes}
}

func (r *messageReader) rename(message []byte) StoreRename {
	fields := r.fields(message)
	return StoreRename{OldKey: fields.text(1), NewKey: fields.text(2)}
}

func (r *messageReader) scan(message []byte) ManifestScan {
	fields := r.fields(message)
	return ManifestScan{Store: fields.text(1), Prefix: fields.bytes(2)}
}

func (r *messageReader) allows(message []byte) Allowances {
	fields := r.fields(message)
	return Allowances{
		DeleteStores: fields.texts(1), RemoveModules: fields.texts(2), WriteStores: fields.texts(3), KeepStores: fields.texts(4),
		EmptyVersionMap: fields.number(5) != 0,
	}
}

// varints are one after the other; nil where there is none.
func (r *messageReader) varints(bytes []byte) []uint64 {
	var values []uint64
	for len(bytes) > 0 {
		value, size := binary.Uvarint(bytes)
		if size <= 0 {
			r.fail(errors.New("a list of varints is cut short"))
			return nil
		}
		values, bytes = append(values, value), bytes[size:]
	}
	return values
}
