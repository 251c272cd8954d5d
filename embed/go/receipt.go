package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/wire"
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
	// RootBefore and RootAfter are the store's roots, where the chain knows them when it writes the receipt.
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

// Encode returns the protobuf bytes.
func (receipt Receipt) Encode() []byte {
	var out wire.Writer
	out.String(1, receipt.Plan).
		Int(2, uint64(receipt.Height)).
		String(3, string(receipt.HandlerSHA256)).
		Int(4, uint64(receipt.ABI)).
		String(5, receipt.GasSchedule).
		Int(6, receipt.Gas)
	for _, store := range receipt.Stores {
		var entry wire.Writer
		out.Message(7, entry.String(1, store.Name).
			Int(2, store.Written).
			Int(3, store.Deleted).
			Int(4, store.Bytes).
			String(5, string(store.RootBefore)).
			String(6, string(store.RootAfter)).
			String(7, string(store.WritesSHA256)).
			Bytes())
	}
	for _, check := range receipt.Checks {
		out.Message(8, []byte(check))
	}
	return out.Bytes()
}

// DecodeReceipt reads what Encode wrote. It fails with UPG_STORE_CORRUPT.
func DecodeReceipt(encoded []byte) (Receipt, error) {
	receipt, err := decodeReceipt(encoded)
	if err != nil {
		return Receipt{}, newError(CodeStoreCorrupt, "a receipt cannot be decoded: %v", err).because(err)
	}
	return receipt, nil
}

func decodeReceipt(encoded []byte) (receipt Receipt, err error) {
	fields, err := wire.Read(encoded, wire.Bytes, wire.Varint, wire.Bytes, wire.Varint, wire.Bytes, wire.Varint, wire.Bytes, wire.Bytes)
	if err != nil {
		return receipt, err
	}
	for _, field := range fields {
		switch field.Number {
		case 1:
			receipt.Plan = string(field.Bytes)
		case 2:
			receipt.Height = int64(field.Value)
		case 3:
			receipt.HandlerSHA256 = field.Bytes
		case 4:
			if field.Value > math.MaxUint32 {
				return receipt, fmt.Errorf("interface %d", field.Value)
			}
			receipt.ABI = uint32(field.Value)
		case 5:
			receipt.GasSchedule = string(field.Bytes)
		case 6:
			receipt.Gas = field.Value
		case 7:
			store, err := decodeStoreReceipt(field.Bytes)
			if err != nil {
				return receipt, err
			}
			receipt.Stores = append(receipt.Stores, store)
		case 8:
			receipt.Checks = append(receipt.Checks, string(field.Bytes))
		}
	}
	return receipt, nil
}

func decodeStoreReceipt(encoded []byte) (store StoreReceipt, err error) {
	fields, err := wire.Read(encoded, wire.Bytes, wire.Varint, wire.Varint, wire.Varint, wire.Bytes, wire.Bytes, wire.Bytes)
	for _, field := range fields {
		switch field.Number {
		case 1:
			store.Name = string(field.Bytes)
		case 2:
			store.Written = field.Value
		case 3:
			store.Deleted = field.Value
		case 4:
			store.Bytes = field.Value
		case 5:
			store.RootBefore = field.Bytes
		case 6:
			store.RootAfter = field.Bytes
		case 7:
			if size := len(field.Bytes); size != 0 && size != sha256.Size {
				return store, fmt.Errorf("a digest of %d bytes", size)
			}
			store.WritesSHA256 = field.Bytes
		}
	}
	return store, err
}
