package wire

import (
	"bytes"
	"testing"
)

func TestRead_whatWriterWrote_comesBack(t *testing.T) {
	var out Writer
	message := out.Int(1, 1<<64-1).String(2, "x").Message(2, nil).Int(1, 0).String(2, "").Bytes()
	fields, err := Read(message, Varint, Bytes)
	if err != nil || len(fields) != 3 || fields[0].Value != 1<<64-1 || string(fields[1].Bytes) != "x" || len(fields[2].Bytes) != 0 {
		t.Errorf("%v, %v", fields, err)
	}
	if _, err := ReadOnce(message, Varint, Bytes); err == nil || err.Error() != "field 2 occurs twice" {
		t.Errorf("got %v", err)
	}
}

func TestRead_malformedBytes_areRefused(t *testing.T) {
	for want, message := range map[string][]byte{
		"malformed protobuf: varint at byte 10":     bytes.Repeat([]byte{0xff}, 11),
		"malformed protobuf: tag at byte 1":         {0},
		"malformed protobuf: varint at byte 1":      {8},
		"malformed protobuf: length at byte 2":      {18, 5},
		"malformed protobuf: wire type 3 at byte 1": {11},
		"unknown field 2":                           {16, 1},
		"unknown field 9":                           {72, 1},
		"unknown field 1":                           {9, 1, 2, 3, 4, 5, 6, 7, 8},
	} {
		if _, err := Read(message, Varint, Bytes); err == nil || err.Error() != want {
			t.Errorf("%x: got %v, want %s", message, err, want)
		}
	}
}
