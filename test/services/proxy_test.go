package services

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// echo starts a server on loopback that sends the received data back, and returns its address.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	return listener.Addr().String()
}

func started(t *testing.T) (proxy *Proxy, socket string) {
	t.Helper()
	client := fake.NewClientset(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "hook"},
		Spec:       corev1.ServiceSpec{ClusterIP: "172.30.1.2"},
	})
	socket = filepath.Join(t.TempDir(), "s")
	proxy, err := Start(socket, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return proxy, socket
}

// connect sends a CONNECT request for address as the API server does, and returns the connection and the response.
func connect(t *testing.T, socket, address string) (net.Conn, *http.Response) {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", address); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return conn, response
}

func TestProxyForwardsToTheRegisteredAddress(t *testing.T) {
	proxy, socket := started(t)
	if err := proxy.Answer(Service{"ns", "hook", 443}, echo(t)); err != nil {
		t.Fatal(err)
	}
	conn, response := connect(t, socket, "172.30.1.2:443")
	if response.StatusCode != http.StatusOK {
		t.Fatalf("got %s", response.Status)
	}
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 5)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello" {
		t.Fatalf("got %q, %v", answer, err)
	}

	proxy.Disconnect()
	if _, err := conn.Read(answer); !errors.Is(err, io.EOF) && !strings.Contains(fmt.Sprint(err), "reset") {
		t.Errorf("after Disconnect: got %v, want the connection closed", err)
	}
}

func TestProxyRefusesOtherAddresses(t *testing.T) {
	proxy, socket := started(t)
	if err := proxy.Answer(Service{"ns", "hook", 443}, "192.0.2.1:443"); err == nil {
		t.Error("an address beyond this machine was taken")
	}
	for name, test := range map[string]struct{ address, says string }{
		"a Service without a registered address": {"172.30.1.2:443", "no address is registered for port 443 of Service ns/hook"},
		"an address that no Service has":         {"172.30.9.9:443", "no Service has address"},
		"an address of another host":             {"192.0.2.1:443", "no Service has address"},
	} {
		t.Run(name, func(t *testing.T) {
			_, response := connect(t, socket, test.address)
			body, _ := io.ReadAll(response.Body)
			if response.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), test.says) {
				t.Errorf("got %s: %s; want 502 and %q", response.Status, body, test.says)
			}
		})
	}
	t.Run("a loopback address is dialled as it is", func(t *testing.T) {
		if _, response := connect(t, socket, echo(t)); response.StatusCode != http.StatusOK {
			t.Errorf("got %s", response.Status)
		}
	})
}

func TestAnswerReplacesAndRemovesAnAddress(t *testing.T) {
	proxy, socket := started(t)
	for _, address := range []string{"127.0.0.1:1", echo(t), ""} {
		if err := proxy.Answer(Service{"ns", "hook", 443}, address); err != nil {
			t.Fatal(err)
		}
	}
	if _, response := connect(t, socket, "172.30.1.2:443"); response.StatusCode != http.StatusBadGateway {
		t.Errorf("got %s after the address was removed", response.Status)
	}
}
