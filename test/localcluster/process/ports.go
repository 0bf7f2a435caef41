package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// The range lies below the one Linux hands to outgoing connections (32768 and up): a port that is free when it is
// chosen is then not taken by somebody's client before the server listens on it.
const (
	firstPort = 20000
	lastPort  = 32000
)

// FreePorts returns n different TCP ports nobody listens on at 127.0.0.1 now. Somebody may come first all the same;
// the caller must be ready to try again.
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
		// Kept open until all are chosen, so that no port is handed out twice.
		held = append(held, listener)
		ports = append(ports, port)
	}
	if len(ports) == n {
		return ports, nil
	}
	return nil, fmt.Errorf("looking for %d free loopback ports between %d and %d: %w", n, firstPort, lastPort, errors.Join(last, errors.New("too many are taken")))
}
