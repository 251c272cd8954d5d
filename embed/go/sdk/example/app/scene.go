package app

import (
	"encoding/json"
	"fmt"
)

// Scene is the first pairs of a store at the last height, in the form that `chaind handler test` reads.
func (app *App) Scene(store string, limit int) ([]byte, error) {
	pairs := app.CommitMultiStore().GetKVStore(app.keys[store]).Iterator(nil, nil)
	defer pairs.Close()
	scene := [][2]string{}
	for ; pairs.Valid() && len(scene) < limit; pairs.Next() {
		scene = append(scene, [2]string{fmt.Sprintf("0x%x", pairs.Key()), fmt.Sprintf("0x%x", pairs.Value())})
	}
	return json.MarshalIndent(map[string]any{"stores": map[string]any{store: scene}}, "", "  ")
}
