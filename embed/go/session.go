package upgrade

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/guesttext"
	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
	"github.com/tetratelabs/wazero/api"
)

// session is one run of a handler: its instance, instantiated fresh and dropped at the end, its gas and its stores.
type session struct {
	ctx       context.Context
	handler   *Handler
	input     *Input
	gas       *gasCounter
	handles   *storeHandles
	module    api.Module
	memory    guestMemory
	functions map[string]api.Function
	buffers   guestBuffers
	place     place
	// failure is why an import ended the guest.
	failure  error
	logLines int
	stack    [4]uint64
}

type sessionKey struct{}

// newSession charges for the file and opens the stores. start makes the instance.
func newSession(ctx context.Context, handler *Handler, input *Input, gas *gasCounter, space *sorted.Space) (*session, error) {
	s := &session{handler: handler, input: input, gas: gas, functions: map[string]api.Function{}}
	s.place.at("loading")
	s.ctx = context.WithValue(ctx, sessionKey{}, s)
	if err := gas.charge(int64(handler.size)*priceFileByte, "loading"); err != nil {
		return nil, s.ofRun(err)
	}
	var err error
	if s.handles, err = newHandles(&handler.Manifest, input.Stores, space, gas); err != nil {
		return nil, s.ofRun(err)
	}
	return s, nil
}

func (s *session) start() error {
	module, err := s.handler.engine.instantiate(s.ctx)
	if err != nil {
		return err
	}
	s.module, s.memory = module, guestMemory{module.Memory()}
	return s.gas.bind(module)
}

func (s *session) close() {
	if s.module != nil {
		_ = s.module.Close(context.WithoutCancel(s.ctx))
	}
}

func (s *session) has(name string) bool { return s.function(name) != nil }

func (s *session) function(name string) api.Function {
	function, ok := s.functions[name]
	if !ok {
		function = s.module.ExportedFunction(name)
		s.functions[name] = function
	}
	return function
}

// call calls an export; the result is an i32, 0 for none.
func (s *session) call(name string, args ...int) (int32, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, cancelled(err)
	}
	if err := s.gas.charge(priceHostCall, name); err != nil {
		return 0, err
	}
	s.stack, s.failure = [4]uint64{}, nil
	for i, arg := range args {
		s.stack[i] = uint64(uint32(arg))
	}
	if err := s.function(name).CallWithStack(s.ctx, s.stack[:]); err != nil {
		return 0, s.guestFailure(err, name)
	}
	if err := s.gas.requireRest(name); err != nil {
		return 0, err
	}
	return int32(s.stack[0]), nil
}

// callForLength is call for the exports that return a length; below 0 the handler failed.
func (s *session) callForLength(name string, args ...int) (int, error) {
	result, err := s.call(name, args...)
	if err != nil || result >= 0 {
		return int(result), err
	}
	code := fmt.Sprint(-int64(result))
	failure := failed("%s returned -%s", name, code).with("call", name).with("answer", code)
	number, message, ok, err := s.errorRecord()
	if err != nil {
		return 0, err
	}
	if ok {
		failure.Message += fmt.Sprintf(": %s (code %s)", message, number)
		failure.with("code", number).with("message", message)
	}
	return 0, failure
}

// errorRecord is what handler_err says; not ok without it, and when it breaks too: the result below 0 is the failure.
func (s *session) errorRecord() (code, message string, ok bool, err error) {
	if !s.has("handler_err") {
		return "", "", false, nil
	}
	pointer, err := s.call("handler_err")
	if err != nil {
		if failure, isOurs := err.(*Error); isOurs && failure.Code != CodeHandlerEngine {
			err = nil
		}
		return "", "", false, err
	}
	const header = 8
	head, err := s.memory.view(uint32(pointer), header, "the record of handler_err")
	if err != nil {
		return "", "", false, nil
	}
	length := binary.LittleEndian.Uint32(head[4:])
	text, err := s.memory.view(uint32(pointer)+header, length, "the message of handler_err")
	if err != nil {
		return "", "", false, nil
	}
	return fmt.Sprint(binary.LittleEndian.Uint32(head)), guesttext.Text(text, failMessageBytesMax), true, nil
}
