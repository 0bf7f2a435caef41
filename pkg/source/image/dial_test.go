package image_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openshift/platform-operators/pkg/source/image"
)

// TestHRD_S5_NamesThatResolveToThisMachineAreRefused uses a registry on another host behind a proxy on this machine. The registry refers
// the manager to a name that resolves to a loopback address.
func TestHRD_S5_NamesThatResolveToThisMachineAreRefused(t *testing.T) {
	var asked atomic.Int32
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"token":"t"}`)
	}))
	t.Cleanup(local.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(local.URL, "http://"))
	for _, ip := range []string{"127.0.0.1", "127.1.2.3", "0.0.0.0"} {
		for _, scheme := range []string{"http", "https"} {
			target := scheme + "://here.example:" + port
			for what, handler := range map[string]http.HandlerFunc{
				"a manifest": redirectOf("/manifests/", target),
				"a blob":     redirectOf("/blobs/", target),
				"a token":    tokensFrom(target),
			} {
				t.Run(fmt.Sprintf("%s over %s from %s", what, scheme, ip), func(t *testing.T) {
					asked.Store(0)
					err := fetchProxied(t, handler, resolving(ip))
					wantClass(t, err, image.Loopback, ip+", which here.example:"+port+" resolves to, is an address of this machine")
					if n := asked.Load(); n != 0 {
						t.Errorf("the server on this machine got %d requests", n)
					}
				})
			}
		}
	}
}

func TestHRD_S5_AReferenceOnThisMachineMayResolveToIt(t *testing.T) {
	host := serve(t, nil)
	_, port, _ := net.SplitHostPort(host)
	push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	for name, test := range map[string]struct {
		host    string
		refused bool
	}{
		"an address":                           {host: "127.0.0.1"},
		"localhost":                            {host: "localhost"},
		"a name below localhost":               {host: "registry.localhost"},
		"a name that resolves to this machine": {host: "here.example", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher := image.New(image.Config{Resolver: resolving("127.0.0.1"), Transport: &http.Transport{}})
			err := fetch(t, fetcher, image.Source{Ref: test.host + ":" + port + "/bundles/memo:v1", InsecureSkipTLSVerify: true})
			if test.refused {
				wantClass(t, err, image.Loopback, "resolves to, is an address of this machine")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// fetchProxied fetches an image from a registry on another host through a proxy with a loopback address. Requests to other hosts are
// direct. refer handles the requests of the fetch before the registry does.
func fetchProxied(t *testing.T, refer http.HandlerFunc, resolver *net.Resolver) error {
	t.Helper()
	armed := false
	host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		answer := &answered{ResponseWriter: w}
		if armed {
			refer(answer, r)
		}
		return answer.done
	})
	push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	transport := &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() != elsewhere {
			return nil, nil
		}
		return &url.URL{Scheme: "http", Host: host}, nil
	}}
	source := image.Source{Ref: elsewhere + "/bundles/memo:v1", InsecureSkipTLSVerify: true}
	fetcher := image.New(image.Config{Transport: transport, Resolver: resolver})
	if err := fetch(t, fetcher, source); err != nil {
		t.Fatalf("through the proxy: %v", err)
	}
	armed = true
	return fetch(t, fetcher, source)
}

// resolving returns a resolver that has one IPv4 address for every name.
func resolving(ip string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			_ = answerDNS(server, net.ParseIP(ip).To4())
		}()
		return client, nil
	}}
}

// answerDNS answers DNS queries over TCP (RFC 1035): queries for A records with ip, and all others with no record.
func answerDNS(connection net.Conn, ip net.IP) error {
	const (
		header   = 12
		response = 0x8180
		typeA    = 1
	)
	for {
		length := make([]byte, 2)
		if _, err := io.ReadFull(connection, length); err != nil {
			return err
		}
		query := make([]byte, binary.BigEndian.Uint16(length))
		if _, err := io.ReadFull(connection, query); err != nil {
			return err
		}
		end := header
		for query[end] != 0 { // labels of the name
			end += 1 + int(query[end])
		}
		question := query[header : end+5]
		answer := binary.BigEndian.AppendUint16(append([]byte{}, query[:2]...), response)
		records := uint16(0)
		if binary.BigEndian.Uint16(query[end+1:]) == typeA {
			records = 1
		}
		for _, count := range []uint16{1, records, 0, 0} {
			answer = binary.BigEndian.AppendUint16(answer, count)
		}
		answer = append(answer, question...)
		if records > 0 { // a pointer to the name of the question, type, class, seconds to live, length
			answer = append(answer, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 60, 0, net.IPv4len)
			answer = append(answer, ip...)
		}
		if _, err := connection.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return err
		}
	}
}
