package grpc

import (
	"errors"
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers the codec that boundedCodec wraps
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// boundedCodec decodes only messages with at most the number of parts in its field parts. Parts are messages and list elements. The limit
// exists because an empty property takes two bytes in a message and a hundred in memory.
type boundedCodec struct {
	parts int
	// exceeded is set if a message has more parts than the maximum.
	exceeded *atomic.Bool
}

// maxDepth is the maximum nesting of the parts of a message.
const maxDepth = 256

var errTooManyParts = errors.New("the message has too many parts")

func (boundedCodec) Name() string { return "proto" }

func (boundedCodec) Marshal(message any) (mem.BufferSlice, error) {
	return encoding.GetCodecV2("proto").Marshal(message)
}

func (c boundedCodec) Unmarshal(data mem.BufferSlice, into any) error {
	message, ok := into.(proto.Message)
	if !ok {
		return fmt.Errorf("decoding into a %T, which is no message", into)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	left := c.parts
	switch err := countParts(buffer.ReadOnlyData(), message.ProtoReflect().Descriptor(), &left, maxDepth); {
	case errors.Is(err, errTooManyParts):
		c.exceeded.Store(true)
		return fmt.Errorf("%w: at most %d are allowed", err, c.parts)
	case err != nil:
		return err
	}
	return proto.Unmarshal(buffer.ReadOnlyData(), message)
}

// countParts counts the messages and list elements in an encoded message, and subtracts their number from left. It returns errTooManyParts
// if left becomes negative. depth is the permitted nesting.
func countParts(encoded []byte, of protoreflect.MessageDescriptor, left *int, depth int) error {
	if depth == 0 {
		return fmt.Errorf("the message is nested deeper than %d; ask the catalog's publisher to correct it", maxDepth)
	}
	for len(encoded) > 0 {
		number, kind, n := protowire.ConsumeTag(encoded)
		if n < 0 {
			return protowire.ParseError(n)
		}
		encoded = encoded[n:]
		if n = protowire.ConsumeFieldValue(number, kind, encoded); n < 0 {
			return protowire.ParseError(n)
		}
		value := encoded[:n]
		encoded = encoded[n:]
		field := of.Fields().ByNumber(number)
		if field == nil || field.Message() == nil && !field.IsList() {
			continue
		}
		if *left--; *left < 0 {
			return errTooManyParts
		}
		if field.Message() == nil || kind != protowire.BytesType {
			continue
		}
		part, n := protowire.ConsumeBytes(value)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := countParts(part, field.Message(), left, depth-1); err != nil {
			return err
		}
	}
	return nil
}
