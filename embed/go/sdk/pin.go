package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

var sha256Digits = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// PinnedHash is the SHA-256 that a plan's info pins for its handler, 64 lower-case hex digits; "" when it pins none:
//
//	{"binaries":{…},"handler":{"sha256":"…"}}
//
// Only the plan's own text counts: nothing is downloaded. It fails with UPG_INVALID_PLAN_INFO when there is a handler that
// pins nothing readable, or one that two readers could read differently. docs/plan-info.md has the rules.
func PinnedHash(info string) (string, error) {
	document, ok := members([]byte(info))
	if !ok {
		return "", nil
	}
	handler, err := one(document, "handler")
	if err != nil || handler == nil {
		return "", err
	}
	fields, ok := members(handler)
	if !ok {
		return "", badPin("it must be an object")
	}
	if _, err := text(fields, "url"); err != nil {
		return "", err
	}
	sha256, err := text(fields, "sha256")
	switch {
	case err != nil:
		return "", err
	case sha256 == nil:
		return "", badPin("it has no sha256")
	case !sha256Digits.MatchString(*sha256):
		return "", badPin(fmt.Sprintf("sha256 must be 64 hex digits, not %q", *sha256))
	}
	return strings.ToLower(*sha256), nil
}

type member struct {
	name  string
	value json.RawMessage
}

// members are those of a JSON object in their order, repeated ones too; false for what is no object, or no JSON.
func members(document []byte) ([]member, bool) {
	if !json.Valid(document) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	var all []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil && err != io.EOF {
			return nil, false
		}
		all = append(all, member{name.(string), value})
	}
	return all, true
}

// one is the value of that name, compared without case as encoding/json does; nil when it is absent or null.
func one(all []member, name string) (json.RawMessage, error) {
	var found json.RawMessage
	for _, each := range all {
		if !strings.EqualFold(each.name, name) || string(each.value) == "null" {
			continue
		}
		if found != nil && name == "handler" {
			return nil, badPin("it is given twice")
		}
		if found != nil {
			return nil, badPin(name + " is given twice")
		}
		found = each.value
	}
	return found, nil
}

func text(all []member, name string) (*string, error) {
	value, err := one(all, name)
	if err != nil || value == nil {
		return nil, err
	}
	var read string
	if json.Unmarshal(value, &read) != nil {
		return nil, badPin(name + " must be a string")
	}
	return &read, nil
}

func badPin(why string) error {
	return failure(upgrade.CodeInvalidPlanInfo, "invalid handler: %s", why)
}
