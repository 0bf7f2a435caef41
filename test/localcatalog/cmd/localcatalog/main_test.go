package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestCommandServesReloadsAndEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	again := make(chan os.Signal, 1)
	out, in := io.Pipe()
	c := command(again)
	c.SetOut(in)
	c.SetArgs([]string{"--catalog", "../../testdata/first", "--bundles", "../../testdata/bundles", "--package", "example"})
	done := make(chan error, 1)
	go func() {
		err := c.ExecuteContext(ctx)
		in.CloseWithError(io.EOF)
		done <- err
	}()

	lines, printed := bufio.NewScanner(out), map[string]string{}
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "#") {
		key, value, _ := strings.Cut(lines.Text(), "=")
		printed[key] = value
	}
	for _, key := range []string{"GRPC", "HTTPS", "CA", "REGISTRY", "CONTENT"} {
		if printed[key] == "" {
			t.Errorf("%s was not printed: %v", key, printed)
		}
	}
	connection, err := net.Dial("tcp", printed["GRPC"])
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()

	again <- syscall.SIGHUP
	if !lines.Scan() || lines.Text() != "CONTENT="+printed["CONTENT"] {
		t.Errorf("after SIGHUP the command printed %q, want the digest of the same content", lines.Text())
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the command returned error %v", err)
	}
}

func TestCommandRequiresACatalog(t *testing.T) {
	c := command(nil)
	c.SetOut(io.Discard)
	c.SetArgs([]string{})
	if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "catalog") {
		t.Errorf("the command returned error %v", err)
	}
}
