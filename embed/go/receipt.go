package upgrade

import (
	"encoding/binary"
	"encoding/hex"
)

// Receipt is the record of an upgrade by a handler: protobuf chain.upgrade.v1.Receipt. It holds only what every node
// computes alike, so it may be part of the state.
type Receipt struct {
	Plan   string
	Height int64
	// HandlerSHA256 of the handler's file.
	HandlerSHA256 []byte
	// ABI is the handler interface.
	ABI         uint32
	GasSchedule string
	Gas         uint64
	// Stores that the handler may write, ascending by name.
	Stores []StoreReceipt
	// Checks of the handler, in its order; all of them held.
	Checks []string
}

// StoreReceipt is what was done to one store.
type StoreReceipt struct {
	Name                    string
	Written, Deleted, Bytes uint64
	// RootBefore and RootAfter are the store's roots of 32 bytes, where the chain knows them when it writes the receipt.
	RootBefore, RootAfter []byte
	// WritesSHA256 is the digest of the handler's own final writes (StoreReport.SHA256), whatever else the block wrote.
	// Empty in receipts of older programs.
	WritesSHA256 []byte
}

// RootChange is a store's root before the upgrade block and in its commit.
type RootChange struct{ Before, After []byte }

// Receipt is the record of the run; roots by store may be nil.
func (r *Run) Receipt(roots map[string]RootChange) Receipt {
	hash, _ := hex.DecodeString(r.handler.SHA256)
	receipt := Receipt{
		Plan: r.handler.Manifest.Name, Height: r.input.Height, HandlerSHA256: hash, ABI: r.handler.Manifest.ABI,
		GasSchedule: gasSchedule, Gas: r.Report.Gas,
	}
	for _, store := range r.Report.Stores {
		root := roots[store.Name]
		writes, _ := hex.DecodeString(store.SHA256)
		receipt.Stores = append(receipt.Stores, StoreReceipt{
			Name: store.Name, Written: store.Written, Deleted: store.Deleted, Bytes: store.Bytes,
			RootBefore: root.Before, RootAfter: root.After, WritesSHA256: writes,
		})
	}
	for _, check := range r.Report.Checks {
		receipt.Checks = append(receipt.Checks, check.Name)
	}
	return receipt
}

// Encode returns the protobuf bytes. It fails with UPG_INVALID_ARGUMENT for a hash or root that has neither 0 nor 32 bytes,
// and for a name that is not UTF-8.
func (receipt Receipt) Encode() ([]byte, error) {
	encoded, ok, err := convertReceipt("receipt_encode", receipt.flat())
	if err == nil && !ok {
		err = newError(CodeInvalidArgument, "the receipt cannot be encoded: hashes and roots have 0 or 32 bytes, and names are UTF-8")
	}
	return encoded, err
}

// DecodeReceipt reads what Encode wrote. It fails with UPG_STORE_CORRUPT.
func DecodeReceipt(encoded []byte) (Receipt, error) {
	flat, ok, err := convertReceipt("receipt_decode", encoded)
	if err != nil {
		return Receipt{}, err
	}
	if !ok {
		return Receipt{}, newError(CodeStoreCorrupt, "%d bytes are no receipt", len(encoded))
	}
	return receiptOfFlat(flat), nil
}

// flat is the form of docs/abi.md that check.wasm takes and gives: everything at a fixed place.
func (receipt *Receipt) flat() []byte {
	out := appendNumbers(nil, uint64(receipt.Height), receipt.Gas)
	for _, number := range []int{int(receipt.ABI), len(receipt.Stores), len(receipt.Checks)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(number))
	}
	out = appendTexts(out, []byte(receipt.Plan), receipt.HandlerSHA256, []byte(receipt.GasSchedule))
	for _, store := range receipt.Stores {
		out = appendNumbers(out, store.Written, store.Deleted, store.Bytes)
		out = appendTexts(out, []byte(store.Name), store.RootBefore, store.RootAfter, store.WritesSHA256)
	}
	for _, check := range receipt.Checks {
		out = appendTexts(out, []byte(check))
	}
	return out
}

func appendNumbers(out []byte, numbers ...uint64) []byte {
	for _, number := range numbers {
		out = binary.LittleEndian.AppendUint64(out, number)
	}
	return out
}

func appendTexts(out []byte, texts ...[]byte) []byte {
	for _, text := range texts {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
	}
	return out
}

// flatReader takes values from the front. check.wasm wrote them, so they are all there.
type flatReader []byte

func (r *flatReader) take(count int) []byte {
	taken := (*r)[:count:count]
	*r = (*r)[count:]
	return taken
}

func (r *flatReader) long() uint64  { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *flatReader) short() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

// bytes is nil where there is none.
func (r *flatReader) bytes() []byte {
	if length := int(r.short()); length > 0 {
		return r.take(length)
	}
	return nil
}

func (r *flatReader) text() string { return string(r.bytes()) }

func receiptOfFlat(flat []byte) Receipt {
	r := (*flatReader)(&flat)
	receipt := Receipt{Height: int64(r.long()), Gas: r.long(), ABI: r.short()}
	stores, checks := r.short(), r.short()
	receipt.Plan, receipt.HandlerSHA256, receipt.GasSchedule = r.text(), r.bytes(), r.text()
	for range stores {
		store := StoreReceipt{Written: r.long(), Deleted: r.long(), Bytes: r.long(), Name: r.text()}
		store.RootBefore, store.RootAfter, store.WritesSHA256 = r.bytes(), r.bytes(), r.bytes()
		receipt.Stores = append(receipt.Stores, store)
	}
	for range checks {
		receipt.Checks = append(receipt.Checks, r.text())
	}
	return receipt
}
