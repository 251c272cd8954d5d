// Writes frames of every request and response of ABCI 2.0 with CometBFT's own code, one case a line: `go run . | gzip -n9 > ../abci.json.gz`.
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/proto/tendermint/crypto"
	"github.com/cosmos/gogoproto/jsonpb"
	"github.com/cosmos/gogoproto/proto"
)

const source = "github.com/cometbft/cometbft v0.38.25"

type testCase struct {
	Kind  string          `json:"kind"`
	Case  string          `json:"case"`
	Fill  string          `json:"fill"`
	Frame string          `json:"frame"`
	JSON  json.RawMessage `json:"json"`
}

// What a message is filled with.
type filler struct {
	name   string
	random *rand.Rand
}

var (
	timeType     = reflect.TypeOf(time.Time{})
	durationType = reflect.TypeOf(time.Duration(0))
	sumType      = reflect.TypeOf((*crypto.PublicKey)(nil)).Elem()
)

func main() {
	var cases []testCase
	for _, wrapper := range (*types.Request)(nil).XXX_OneofWrappers() {
		cases = append(cases, casesOf("request", wrapper, func(value reflect.Value) proto.Message {
			request := &types.Request{}
			reflect.ValueOf(request).Elem().FieldByName("Value").Set(value)
			return request
		})...)
	}
	for _, wrapper := range (*types.Response)(nil).XXX_OneofWrappers() {
		cases = append(cases, casesOf("response", wrapper, func(value reflect.Value) proto.Message {
			response := &types.Response{}
			reflect.ValueOf(response).Elem().FieldByName("Value").Set(value)
			return response
		})...)
	}
	write(cases)
}

func write(cases []testCase) {
	fmt.Printf("{\"source\": %q, \"note\": \"one frame a case: length and message\", \"cases\": [\n", source)
	for at, each := range cases {
		line, err := json.Marshal(each)
		check(err)
		comma := ","
		if at == len(cases)-1 {
			comma = ""
		}
		fmt.Printf("%s%s\n", line, comma)
	}
	fmt.Println("]}")
}

func casesOf(kind string, wrapper any, wrap func(reflect.Value) proto.Message) []testCase {
	var cases []testCase
	for _, name := range []string{"empty", "least", "greatest", "odd", "random 1", "random 2", "random 3"} {
		value := reflect.New(reflect.TypeOf(wrapper).Elem())
		field := value.Elem().Field(0)
		field.Set(reflect.New(field.Type().Elem()))
		if name != "empty" {
			seed := int64(len(name)) + int64(name[len(name)-1])
			fill := filler{strings.Fields(name)[0], rand.New(rand.NewSource(seed))}
			fill.message(field.Elem())
		}
		message := wrap(value)
		var frame bytes.Buffer
		check(types.WriteMessage(message, &frame))
		text, err := (&jsonpb.Marshaler{OrigName: true, EnumsAsInts: true}).MarshalToString(message)
		check(err)
		cases = append(cases, testCase{kind, caseName(value.Elem().Type()), name, hex.EncodeToString(frame.Bytes()), json.RawMessage(text)})
	}
	return cases
}

// The oneof's name of a kind, as JSON has it.
func caseName(wrapper reflect.Type) string {
	parts := strings.Split(wrapper.Field(0).Tag.Get("protobuf"), ",")
	name := ""
	for _, part := range parts {
		if strings.HasPrefix(part, "name=") && name == "" {
			name = strings.TrimPrefix(part, "name=")
		}
		if strings.HasPrefix(part, "json=") {
			name = strings.TrimPrefix(part, "json=")
		}
	}
	return name
}

func (f filler) message(value reflect.Value) {
	for at := 0; at < value.NumField(); at++ {
		f.set(value.Field(at))
	}
}

func (f filler) set(value reflect.Value) {
	switch {
	case value.Type() == timeType:
		value.Set(reflect.ValueOf(f.time()))
	case value.Type() == durationType:
		value.SetInt(int64(pick(f, 0, -1, math.MaxInt64, -1_500_000_000, f.random.Int63())))
	case value.Type() == sumType:
		f.key(value)
	case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8:
		value.SetBytes(f.bytes())
	case value.Kind() == reflect.Slice:
		f.list(value)
	case value.Kind() == reflect.Pointer:
		if f.name == "random" && f.random.Intn(3) == 0 {
			return
		}
		value.Set(reflect.New(value.Type().Elem()))
		if f.name != "least" {
			f.set(value.Elem())
		}
	case value.Kind() == reflect.Struct:
		f.message(value)
	default:
		f.scalar(value)
	}
}

func (f filler) scalar(value reflect.Value) {
	switch value.Kind() {
	case reflect.String:
		value.SetString(f.text())
	case reflect.Bool:
		value.SetBool(pick(f, false, false, true, true, f.random.Intn(2) == 0))
	case reflect.Int64:
		value.SetInt(pick(f, 0, math.MinInt64, math.MaxInt64, -1, int64(f.random.Uint64())))
	case reflect.Uint64:
		value.SetUint(pick(f, 0, 1, uint64(math.MaxUint64), 1<<63, f.random.Uint64()))
	case reflect.Uint32:
		value.SetUint(pick(f, 0, 1, uint64(math.MaxUint32), 1<<31, uint64(f.random.Uint32())))
	case reflect.Int32:
		// Enums too: a value that nobody has defined is carried as it is.
		_, isEnum := value.Interface().(fmt.Stringer)
		if isEnum {
			value.SetInt(pick(f, 0, 0, 1, 99, int64(f.random.Intn(3))))
		} else {
			value.SetInt(pick(f, 0, int64(math.MinInt32), math.MaxInt32, -1, int64(int32(f.random.Uint32()))))
		}
	default:
		panic(fmt.Sprintf("a field of type %s", value.Type()))
	}
}

// Elements that are empty are written too.
func (f filler) list(value reflect.Value) {
	length := pick(f, 0, 1, 2, 3, f.random.Intn(4))
	if length == 0 {
		return
	}
	value.Set(reflect.MakeSlice(value.Type(), length, length))
	for at := 0; at < length; at++ {
		element := value.Index(at)
		if element.Kind() == reflect.Pointer {
			element.Set(reflect.New(element.Type().Elem()))
			element = element.Elem()
		}
		f.set(element)
		if element.Kind() == reflect.Slice && element.IsNil() {
			element.SetBytes([]byte{})
		}
	}
}

func (f filler) key(value reflect.Value) {
	bytes := append([]byte{}, f.bytes()...)
	key := crypto.PublicKey{Sum: &crypto.PublicKey_Ed25519{Ed25519: bytes}}
	if f.name == "odd" || (f.name == "random" && f.random.Intn(2) == 0) {
		key.Sum = &crypto.PublicKey_Secp256K1{Secp256K1: bytes}
	}
	value.Set(reflect.ValueOf(key))
}

func (f filler) time() time.Time {
	first := time.Time{}
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	before := time.Date(1969, 12, 31, 23, 59, 59, 1, time.UTC)
	any := time.Unix(f.random.Int63n(1<<33), f.random.Int63n(1_000_000_000)).UTC()
	return pick(f, time.Unix(0, 0).UTC(), first, last, before, any)
}

func (f filler) text() string {
	any := make([]rune, f.random.Intn(8))
	for at := range any {
		any[at] = rune(32 + f.random.Intn(2_000))
	}
	return pick(f, "", "", strings.Repeat("z", 200), "\u0000<é>\u2028𝄞", string(any))
}

func (f filler) bytes() []byte {
	any := make([]byte, 1+f.random.Intn(40))
	f.random.Read(any)
	return pick(f, nil, nil, bytes.Repeat([]byte{0xff}, 130), []byte{0, 0x80, 0xff}, any)
}

func pick[T any](f filler, empty, least, greatest, odd, random T) T {
	switch f.name {
	case "least":
		return least
	case "greatest":
		return greatest
	case "odd":
		return odd
	case "random":
		return random
	}
	return empty
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
