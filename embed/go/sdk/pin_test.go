package sdk_test

import (
	"strings"
	"testing"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

func TestPinnedHashReadsOnlyAPinThatEveryReaderReadsAlike(t *testing.T) {
	pin := strings.Repeat("0a", 32)
	for info, want := range map[string]string{
		"":                                    "",
		"see the forum":                       "",
		"https://example.com/plan.json":       "",
		`null`:                                "",
		`["handler"]`:                         "",
		`{"handler":null}`:                    "",
		`{"handler":{"sha256":"` + pin + `"}`: "", // no JSON: the last brace is missing
		`{"handler":{"sha256":"` + pin + `"}} and text`:          "",
		`{"binaries":{"any":"x"},"note":{"handler":{}}}`:         "",
		`{"handler":{"sha256":"` + pin + `"}}`:                   pin,
		" \n{\"Handler\": {\"SHA256\": \"" + pin + "\"}} ":       pin,
		`{"handler":{"sha256":"` + strings.ToUpper(pin) + `"}}`:  pin,
		`{"handler":null,"handler":{"sha256":"` + pin + `"}}`:    pin,
		`{"handler":{"url":"https://x","sha256":"` + pin + `"}}`: pin,
	} {
		if got, err := sdk.PinnedHash(info); err != nil || got != want {
			t.Errorf("%s: %q, %v", info, got, err)
		}
	}
	for _, info := range []string{
		`{"handler":"` + pin + `"}`,
		`{"handler":{}}`,
		`{"handler":{"sha256":1}}`,
		`{"handler":{"sha256":null}}`,
		`{"handler":{"sha256":"` + pin[2:] + `"}}`,
		`{"handler":{"sha256":"` + pin + `00"}}`,
		`{"handler":{"sha256":"` + pin + `","sha256":"` + pin + `"}}`,
		`{"handler":{"sha256":"` + pin + `","ſha256":"` + pin + `"}}`,
		`{"handler":{"sha256":"` + pin + `"},"handler":{"sha256":"` + pin + `"}}`,
		`{"handler":{"url":7,"sha256":"` + pin + `"}}`,
	} {
		_, err := sdk.PinnedHash(info)
		if err == nil {
			t.Errorf("%s is taken", info)
			continue
		}
		wantCode(t, err, upgrade.CodeInvalidPlanInfo)
	}
}
