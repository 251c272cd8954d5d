package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cosmossdk.io/log"

	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/app"
)

func TestSceneHasTheFirstPairsOfAStore(t *testing.T) {
	path := home(t)
	db := open(t, path)
	defer func() { must(t, db.Close()) }()
	var text []byte
	binary("1", func() {
		chain := newApp(log.NewNopLogger(), db, nil, settings(path, nil)).(*app.App)
		var err error
		text, err = chain.Scene("notes", 3)
		must(t, err)
	})
	var scene struct {
		Stores map[string][][2]string `json:"stores"`
	}
	must(t, json.Unmarshal(text, &scene))
	notes := scene.Stores["notes"]
	if len(notes) != 3 || notes[0][0] >= notes[1][0] || !strings.HasPrefix(notes[2][0], "0x01") || notes[2][1] == "0x" {
		t.Errorf("got %s", text)
	}
	t.Logf("%s", text)
}
