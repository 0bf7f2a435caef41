package network

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestAClientReachesTheServerThatListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &Network{}
		listener, err := network.Listen("server.example:80")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := network.Listen("server.example:80"); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("listening twice: %v", err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Host)
		})}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(listener) }()
		transport := &http.Transport{DialContext: network.DialContext}
		client := &http.Client{Transport: transport}
		response, err := client.Get("http://server.example:80/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if string(body) != "server.example:80" || err != nil {
			t.Errorf("got %q, %v", body, err)
		}
		began := time.Now()
		time.Sleep(time.Hour) // virtual time advances although a connection is open
		if time.Since(began) != time.Hour {
			t.Errorf("sleeping for an hour took %s", time.Since(began))
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
		transport.CloseIdleConnections()
		if _, err := client.Get("http://server.example:80/"); !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("after the server's end: %v", err)
		}
		if again, err := network.Listen("server.example:80"); err != nil || again.Close() != nil || !errors.Is(again.Close(), net.ErrClosed) {
			t.Errorf("listening again: %v", err)
		}
	})
}

func TestPort0IsAPortThatWasNeverUsed(t *testing.T) {
	network := &Network{}
	addresses := map[string]bool{}
	for range 3 {
		listener, err := network.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[listener.Addr().String()] = true
		listener.Close()
	}
	if len(addresses) != 3 || addresses["127.0.0.1:0"] {
		t.Errorf("Listen allocated the addresses %v", addresses)
	}
}

func TestADialEndsWithItsContextOrTheListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &Network{}
		listener, err := network.Listen("slow.example:80")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := network.DialContext(ctx, "tcp", "slow.example:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dialing a listener that does not accept: %v", err)
		}
		failed := make(chan error, 1)
		go func() {
			_, err := network.DialContext(t.Context(), "tcp", "slow.example:80")
			failed <- err
		}()
		synctest.Wait()
		listener.Close()
		if err := <-failed; !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("the listener was closed: %v", err)
		}
	})
}

func TestANetworkThatIsDownLosesItsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &Network{}
		listener, err := network.Listen("server.example:80")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		go func() {
			for {
				accepted, err := listener.Accept()
				if err != nil {
					return
				}
				go func() { _, _ = io.Copy(accepted, accepted) }()
			}
		}()
		before, err := network.DialContext(t.Context(), "tcp", "server.example:80")
		if err != nil {
			t.Fatal(err)
		}
		closed, err := network.DialContext(t.Context(), "tcp", "server.example:80")
		if err != nil {
			t.Fatal(err)
		}
		_ = closed.Close()
		network.SetDown(true)
		if _, err := before.Write([]byte("a")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a connection of before: %v", err)
		}
		if _, err := network.DialContext(t.Context(), "tcp", "server.example:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a new connection: %v", err)
		}
		network.SetDown(false)
		again, err := network.DialContext(t.Context(), "tcp", "server.example:80")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Write([]byte("a")); err != nil {
			t.Errorf("when it is up again: %v", err)
		}
		_ = again.Close()
	})
}

func TestBothEndsMayWriteAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		listener, err := n.Listen("server:1")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		accepted := make(chan net.Conn, 1)
		go func() {
			server, _ := listener.Accept()
			accepted <- server
		}()
		client, err := n.DialContext(t.Context(), "tcp", "server:1")
		if err != nil {
			t.Fatal(err)
		}
		server := <-accepted
		defer server.Close()
		defer client.Close()
		for _, end := range []net.Conn{client, server} { // neither end reads
			if err := end.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := end.Write([]byte("hello")); err != nil {
				t.Errorf("writing from %s: %v", end.LocalAddr(), err)
			}
		}
	})
}

// This test runs outside a bubble: in a bubble, timers fire only when all goroutines are blocked, which hides the race.
func TestAReadDoesNotTimeOutAfterItsDeadlineIsRemoved(t *testing.T) {
	network := &Network{}
	listener, err := network.Listen("server.example:80")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		server, err := listener.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- server
	}()
	client, err := network.DialContext(t.Context(), "tcp", "server.example:80")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server := <-accepted
	defer server.Close()
	var one [1]byte
	for i := range 20_000 {
		for _, deadline := range []time.Time{time.Unix(1, 0), {}} {
			if err := server.SetReadDeadline(deadline); err != nil {
				t.Fatal(err)
			}
			for range i % 3 {
				runtime.Gosched()
			}
		}
		go func() { _, _ = client.Write(one[:]) }()
		if _, err := server.Read(make([]byte, 1)); err != nil {
			t.Fatalf("read %d: %v", i, err)
		}
	}
	if err := server.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if _, err := server.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("after a deadline: %v", err)
	}
}
