package upgrade

import "fmt"

// guestBuffers are the two buffers that a guest owns: the host writes inputs to one and reads outputs from the other.
type guestBuffers struct {
	in, out uint32
	inBytes int
}

// askBuffers asks for both once: handler_in(65536), then handler_out(262144).
func (s *session) askBuffers() (err error) {
	s.buffers.inBytes = batchBytes
	if s.buffers.in, err = s.ask("handler_in", batchBytes); err != nil {
		return err
	}
	s.buffers.out, err = s.ask("handler_out", batchOutBytes)
	return err
}

func (s *session) ask(name string, bytes int) (uint32, error) {
	result, err := s.call(name, bytes)
	if err != nil {
		return 0, err
	}
	pointer := uint32(result)
	if pointer == 0 {
		return 0, failed("%s(%d) refused: the handler has no room for its buffer", name, bytes).with("call", name)
	}
	_, err = s.memory.view(pointer, uint32(bytes), fmt.Sprintf("the buffer of %s(%d)", name, bytes))
	return pointer, err
}

// give writes an input; a larger one than ever before asks the guest for a larger buffer first.
func (s *session) give(input []byte) error {
	if err := s.gas.chargeBytes(len(input), "its input"); err != nil {
		return err
	}
	if len(input) > s.buffers.inBytes {
		pointer, err := s.ask("handler_in", len(input))
		if err != nil {
			return err
		}
		s.buffers.in, s.buffers.inBytes = pointer, len(input)
	}
	buffer, err := s.memory.view(s.buffers.in, uint32(len(input)), "the buffer of handler_in")
	if err != nil {
		return err
	}
	copy(buffer, input)
	return nil
}

// output is a view of an output, good until the guest runs again.
func (s *session) output(length int, call string) ([]byte, error) {
	if length > batchOutBytes {
		return nil, trap("%s returned %d, its buffer has %d bytes", call, length, batchOutBytes)
	}
	if err := s.gas.chargeBytes(length, call); err != nil {
		return nil, err
	}
	return s.memory.view(s.buffers.out, uint32(length), "the buffer of handler_out")
}
