package sdk_test

import (
	"encoding/binary"

	storetypes "cosmossdk.io/store/types"
)

// notesStore is the store of notes, and the name of their module. The handlers of testdata migrate it as the example chain
// does (example/notes has both layouts).
const notesStore = "notes"

func be64(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

func noteKey1(number uint64) []byte { return append([]byte{1}, be64(number)...) }

func noteKey2(owner string, number uint64) []byte {
	return append(append([]byte{2, byte(len(owner))}, owner...), be64(number)...)
}

// addNote writes note number in layout 1, and the number of the next one.
func addNote(store storetypes.KVStore, number uint64, owner, text string) {
	store.Set(noteKey1(number), append(append([]byte{byte(len(owner))}, owner...), text...))
	store.Set([]byte{0}, be64(number+1))
}

// migrateNotes takes the notes from layout 1 to layout 2, as v2.wasm does.
func migrateNotes(store storetypes.KVStore) {
	notes := store.Iterator([]byte{1}, []byte{2})
	defer notes.Close()
	for ; notes.Valid(); notes.Next() {
		key, value := notes.Key(), notes.Value()
		length := 1 + int(value[0])
		store.Delete(key)
		store.Set(noteKey2(string(value[1:length]), binary.BigEndian.Uint64(key[1:])), value[length:])
	}
}
