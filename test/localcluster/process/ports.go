package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// firstPort (inclusive) and lastPort (exclusive) bound the range from which ports are chosen. The range is below that of outgoing
// connections on Linux (32768 and up), so that no client takes a chosen port.
const (
	firstPort = 20000
	lastPort  = 32000
)

// FreePorts returns n different free TCP ports on 127.0.0.1. Another process may take one of them before the caller does, so the caller
// must be able to retry. It returns an error if it finds too few.
func FreePorts(n int) ([]int, error) {
	held := make([]net.Listener, 0, n)
	defer func() {
		for _, listener := range held {
			listener.Close()
		}
	}()
	ports := make([]int, 0, n)
	var last error
	for range 100 + 10*n {
		if len(ports) == n {
			return ports, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		// Listeners stay open until all ports are chosen, so that no port is chosen twice.
		held = append(held, listener)
		ports = append(ports, port)
	}
	if len(ports) == n {
		return ports, nil
	}
	return nil, fmt.Errorf("looking for %d free loopback ports between %d and %d: %w", n, firstPort, lastPort, errors.Join(last, errors.New("too many are taken")))
}
