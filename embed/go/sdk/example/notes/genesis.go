package notes

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Genesis is the module's part of the genesis document.
type Genesis struct {
	Notes []Note `json:"notes"`
	// Count makes this many notes more, of a hundred owners: a way to give a test chain much to migrate.
	Count uint64 `json:"count"`
}

// Note is one note.
type Note struct {
	Owner string `json:"owner"`
	Text  string `json:"text"`
}

func readGenesis(document json.RawMessage) (Genesis, error) {
	var genesis Genesis
	if err := json.Unmarshal(document, &genesis); err != nil {
		return genesis, fmt.Errorf("genesis of notes: %w", err)
	}
	return genesis, nil
}

// made is note i of those that Count asks for: a hundred owners whose names differ in length, texts of 60 to 122 bytes.
func made(i uint64) Note {
	owner := fmt.Sprintf("owner-%d-%s", i%100, strings.Repeat("x", int(i%23)))
	return Note{Owner: owner, Text: fmt.Sprintf("note %-55d%s", i, strings.Repeat(".", int(i%63)))}
}
