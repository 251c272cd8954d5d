package upgrade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Of the facts below, by receiptBytes of host/upgrade/handler/receipt.ts; test/embed/receipts.test.ts holds the two equal.
const receiptOfTheNode = "0a0276321081808080808080101a20abababababababababababababababababababababababababababababababab20012a" +
	"056761732d3230ffffffffffffffffff013a0c0a0461757468180520f0a2043a710a0462616e6b100320ac022a2001010101" +
	"0101010101010101010101010101010101010101010101010101010132200202020202020202020202020202020202020202" +
	"0202020202020202020202023a20cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd42067375" +
	"70706c79420862616c616e636573"

func encode(t *testing.T, receipt Receipt) []byte {
	t.Helper()
	encoded, err := receipt.Encode()
	must(t, err)
	return encoded
}

func TestReceipt_encodes_asTheNode(t *testing.T) {
	receipt := Receipt{
		Plan: "v2", Height: 9_007_199_254_740_993, HandlerSHA256: bytes.Repeat([]byte{0xab}, 32), ABI: 1, GasSchedule: gasSchedule,
		Gas: math.MaxUint64, Checks: []string{"supply", "balances"},
		Stores: []StoreReceipt{
			{Name: "auth", Deleted: 5, Bytes: 70_000},
			{
				Name: "bank", Written: 3, Bytes: 300, RootBefore: bytes.Repeat([]byte{1}, 32),
				RootAfter: bytes.Repeat([]byte{2}, 32), WritesSHA256: bytes.Repeat([]byte{0xcd}, 32),
			},
		},
	}
	if got := hex.EncodeToString(encode(t, receipt)); got != receiptOfTheNode {
		t.Errorf("got %s", got)
	}
	encoded, err := hex.DecodeString(receiptOfTheNode)
	must(t, err)
	decoded, err := DecodeReceipt(encoded)
	must(t, err)
	if !reflect.DeepEqual(decoded, receipt) {
		t.Errorf("got %+v", decoded)
	}
}

func TestReceipt_digestsTheFinalWritesOfEachStore(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	input := accounts(t, handler, 5)
	run, err := handler.Run(context.Background(), input)
	must(t, err)
	for i, store := range run.Receipt(nil).Stores {
		hash := sha256.New()
		must(t, run.Each(store.Name, func(key, value []byte, deleted bool) error {
			if deleted {
				t.Errorf("%x is deleted", key)
			}
			hash.Write(appendFrame(nil, key, value))
			return nil
		}))
		if !bytes.Equal(store.WritesSHA256, hash.Sum(nil)) || hex.EncodeToString(store.WritesSHA256) != run.Report.Stores[i].SHA256 {
			t.Errorf("%s: got %x", store.Name, store.WritesSHA256)
		}
	}
	must(t, run.Discard())
}

func TestReceipt_digestThatIsNone_isRefused(t *testing.T) {
	for size := range 34 {
		receipt := Receipt{Plan: "v2", Stores: []StoreReceipt{{Name: "bank", WritesSHA256: make([]byte, size)}}}
		_, err := receipt.Encode()
		if isDigest := size == 0 || size == 32; (err == nil) != isDigest || !isDigest && codeOf(err) != CodeInvalidArgument {
			t.Errorf("%d bytes: got %v", size, err)
		}
		entry := slices.Concat([]byte{7<<3 | 2, byte(size)}, make([]byte, size))
		_, err = DecodeReceipt(append([]byte{7<<3 | 2, byte(len(entry))}, entry...))
		if isDigest := size == 0 || size == 32; (err == nil) != isDigest || !isDigest && codeOf(err) != CodeStoreCorrupt {
			t.Errorf("%d bytes to decode: got %v", size, err)
		}
	}
}

func TestReceipt_longerThanAnyInput_isRefused(t *testing.T) {
	_, err := Receipt{Checks: []string{strings.Repeat("c", handlerBytesMax)}}.Encode()
	if codeOf(err) != CodeInvalidArgument {
		t.Errorf("got %v", err)
	}
	if _, err = DecodeReceipt(make([]byte, handlerBytesMax+1)); codeOf(err) != CodeStoreCorrupt {
		t.Errorf("got %v", err)
	}
}
