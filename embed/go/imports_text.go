package upgrade

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
)

var logLevels = []LogLevel{LogDebug, LogInfo, LogWarn, LogError}

func (s *session) log(stack []uint64) error {
	line, err := s.memory.view(uint32(stack[1]), uint32(stack[2]), "a log line")
	if err != nil {
		return err
	}
	if err := s.gas.charge(priceLog+int64(min(len(line), logBytesMax))*priceLogByte, "log"); err != nil {
		return err
	}
	if s.logLines > logLinesMax {
		return nil
	}
	s.logLines++
	if s.input.Log == nil {
		return nil
	}
	if s.logLines > logLinesMax {
		text := fmt.Sprintf("the handler logged %d lines; what it logs from here on is left out", logLinesMax)
		s.emit(LogWarn, text)
		return nil
	}
	level := logLevels[min(uint32(stack[0]), uint32(len(logLevels)-1))]
	s.emit(level, guesttext.Line(line, logBytesMax))
	return nil
}

// emit ignores a panic of the logger: what is logged has no effect on results.
func (s *session) emit(level LogLevel, text string) {
	defer func() { _ = recover() }()
	s.input.Log(level, text)
}

func (s *session) progress(stack []uint64) error {
	if err := s.gas.charge(priceProgress, "progress"); err != nil {
		return err
	}
	if s.input.Progress != nil {
		defer func() { _ = recover() }() // as in emit
		s.input.Progress(int64(stack[0]), int64(stack[1]))
	}
	return nil
}

func (s *session) fail(stack []uint64) error {
	text, err := s.memory.view(uint32(stack[1]), uint32(stack[2]), "the message of fail")
	if err != nil {
		return err
	}
	message := guesttext.Text(text, failMessageBytesMax)
	code := strconv.Itoa(int(int32(stack[0])))
	return failed("code %s: %s", code, message).with("code", code).with("message", message)
}

func (s *session) abort(stack []uint64) error {
	text, file := s.string16(uint32(stack[0])), s.string16(uint32(stack[1]))
	if text == "" {
		text = "abort"
	}
	if file == "" {
		file = "unknown"
	}
	place := fmt.Sprintf("%s:%d:%d", file, uint32(stack[2]), uint32(stack[3]))
	return failed("%s at %s", text, place).with("message", text).with("place", place)
}

// string16 is a string of AssemblyScript: its length in bytes is before it. The run ends anyway, so nothing is a trap.
func (s *session) string16(pointer uint32) string {
	memory := s.memory.all()
	if pointer < 4 || int64(pointer) > int64(len(memory)) {
		return ""
	}
	length := min(binary.LittleEndian.Uint32(memory[pointer-4:]), failMessageBytesMax)
	return guesttext.Text16(memory[pointer:min(int(pointer)+int(length), len(memory))])
}
