package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func get(ctx context.Context, t *testing.T, transport *Transport, path string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://server.example"+path, strings.NewReader("asked"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestAResponseIsThatOfTheHandler(t *testing.T) {
	transport := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.Header().Set("X-Asked", string(body))
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "after the header was written")
		fmt.Fprintf(w, "%s %s %s %v %v", r.Method, r.Host, r.RequestURI, r.Context().Value(key{}), err)
	}))
	defer transport.Close()
	response := get(context.WithValue(t.Context(), key{}, "the client's"), t, transport, "/path?a=b")
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if want := "POST server.example /path?a=b <nil> <nil>"; err != nil || string(body) != want {
		t.Errorf("got %q, %v, want %q", body, err, want)
	}
	if response.StatusCode != http.StatusTeapot || response.Header.Get("X-Asked") != "asked" || response.Header.Get("X-Late") != "" {
		t.Errorf("got %s, %v", response.Status, response.Header)
	}
}

type key struct{}

func TestABodyIsReadWhileItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		transport := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for line := 0; ; line++ {
				fmt.Fprintln(w, line)
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Hour):
				case <-r.Context().Done():
					ended <- context.Cause(r.Context())
					return
				}
			}
		}))
		defer transport.Close()
		began := time.Now()
		response := get(t.Context(), t, transport, "/")
		lines := bufio.NewScanner(response.Body)
		for range 3 {
			lines.Scan()
		}
		if lines.Text() != "2" || time.Since(began) != 2*time.Hour {
			t.Errorf("read %q after %s", lines.Text(), time.Since(began))
		}
		response.Body.Close()
		if err := <-ended; !errors.Is(err, errBodyClosed) {
			t.Errorf("the handler's context ended with %v", err)
		}
	})
}

func TestARequestEndsWithItsContextOrTheTransport(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(cancel context.CancelFunc, transport *Transport)
		want error
	}{
		"its context":   {func(cancel context.CancelFunc, _ *Transport) { cancel() }, context.Canceled},
		"the transport": {func(_ context.CancelFunc, transport *Transport) { transport.Close() }, ErrClosed},
	} {
		for _, headerFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, header written %t", name, headerFirst), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					transport := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if headerFirst {
							w.WriteHeader(http.StatusOK)
						}
						<-r.Context().Done()
					}))
					defer transport.Close()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					failed := make(chan error, 1)
					go func() {
						request, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://server.example/", nil)
						response, err := transport.RoundTrip(request)
						if err == nil {
							_, err = io.ReadAll(response.Body)
						}
						failed <- err
					}()
					synctest.Wait()
					test.end(cancel, transport)
					if err := <-failed; !errors.Is(err, test.want) {
						t.Errorf("failed with %v, want %v", err, test.want)
					}
				})
			})
		}
	}
}

func TestAHandlersPanicEndsTheResponse(t *testing.T) {
	transport := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			fmt.Fprint(w, "begun")
		}
		panic(http.ErrAbortHandler)
	}))
	defer transport.Close()
	for path, want := range map[string]int{"/early": http.StatusInternalServerError, "/late": http.StatusOK} {
		response := get(t.Context(), t, transport, path)
		if _, err := io.ReadAll(response.Body); response.StatusCode != want || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %s, %v", path, response.Status, err)
		}
		response.Body.Close()
	}
}
