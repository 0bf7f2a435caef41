package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Always is a value for Fault.Times: the fault applies to all matching requests, starting with the Nth.
const Always = -1

// Fault injects an effect, such as an error or a delay, into some requests.
type Fault struct {
	// Match reports whether the fault matches a request. It is called before the request is sent, and must not use the cluster. Required.
	Match func(Request) bool
	// Nth is the number of the first matching request that the fault applies to, counted from 1. The default is 1.
	Nth int
	// Times is the number of consecutive matching requests that the fault applies to, or Always. The default is 1.
	Times int
	// Effect handles the requests that the fault applies to. Required.
	Effect Effect
}

// Effect handles a request in place of the client's transport. It may call send. It returns the response or error that the client gets.
type Effect func(ctx context.Context, request Request, send Send) (*http.Response, error)

// Send sends the request to the API server and returns the response.
type Send func() (*http.Response, error)

// Delay returns an effect that sends the request after a delay. If the request's context ends first, the request fails and is not sent.
func Delay(by time.Duration) Effect {
	return func(ctx context.Context, _ Request, send Send) (*http.Response, error) {
		select {
		case <-time.After(by):
			return send()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Refuse returns an effect that answers with a Status of the given HTTP code and reason, and does not send the request. The response has
// a Retry-After header if retryAfter is at least a second.
func Refuse(code int, reason metav1.StatusReason, retryAfter time.Duration) Effect {
	return func(context.Context, Request, Send) (*http.Response, error) {
		status := metav1.Status{
			Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "refused by an injected fault",
		}
		header := http.Header{}
		if seconds := int(retryAfter / time.Second); seconds > 0 {
			status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds)}
			header.Set("Retry-After", strconv.Itoa(seconds))
		}
		return statusResponse(status, header)
	}
}

// statusResponse returns a response with the HTTP code of a Status. Its body is the Status in JSON.
func statusResponse(status metav1.Status, header http.Header) (*http.Response, error) {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	content, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/json")
	code := int(status.Code)
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(content)), ContentLength: int64(len(content)),
	}, nil
}

// LoseRequest returns an effect that fails the request with ECONNRESET and does not send it. If do is not nil, the effect calls it first,
// for example to kill the process.
func LoseRequest(do func()) Effect {
	return func(context.Context, Request, Send) (*http.Response, error) {
		if do != nil {
			do()
		}
		return nil, fmt.Errorf("injected fault: %w", syscall.ECONNRESET)
	}
}

// LoseResponse returns an effect that sends the request, waits for the response, and then fails the request with ECONNRESET. If do is not
// nil, the effect calls it after the response, before the request fails. If sending fails, it does not call do. The request must not be a
// watch.
func LoseResponse(do func()) Effect {
	return func(_ context.Context, _ Request, send Send) (*http.Response, error) {
		if _, err := sendWhole(send); err != nil {
			return nil, err
		}
		if do != nil {
			do()
		}
		return nil, fmt.Errorf("injected fault: %w", syscall.ECONNRESET)
	}
}

// Around returns an effect that calls before, sends the request, and calls after when the API server has responded, for example to take a
// Snapshot. If sending fails, after is not called. The request must not be a watch.
func Around(before, after func(Request)) Effect {
	return func(_ context.Context, request Request, send Send) (*http.Response, error) {
		before(request)
		response, err := sendWhole(send)
		if err == nil {
			after(request)
		}
		return response, err
	}
}

// sendWhole sends a request and returns when it has read the whole response.
func sendWhole(send Send) (*http.Response, error) {
	response, err := send()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}

// Inject adds a fault. Each fault counts the requests that match it. If several faults apply to a request, only the one that was injected
// first takes effect.
func (c *Cluster) Inject(fault Fault) *Injection {
	injection := &Injection{fault: fault, faults: &c.faults}
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.injections = append(c.faults.injections, injection)
	return injection
}

// Injection is a fault that was added to a cluster. Its methods may be called concurrently.
type Injection struct {
	fault  Fault
	faults *faults
	// matched is the number of requests that matched, and applied holds the requests that the effect handled. faults.mu guards both.
	matched int
	applied []Request
}

// Remove removes the fault from the cluster. Later calls have no effect.
func (i *Injection) Remove() {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	i.faults.injections = slices.DeleteFunc(i.faults.injections, func(other *Injection) bool { return other == i })
}

// Applied returns the requests that the fault's effect handled. The fields of Request that describe the response are not set.
func (i *Injection) Applied() []Request {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return slices.Clone(i.applied)
}

// Matched returns the number of requests that matched the fault while it was injected.
func (i *Injection) Matched() int {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return i.matched
}

// appliesTo counts a request if it matches, and reports whether the fault applies to it. The caller must hold faults.mu.
func (i *Injection) appliesTo(request Request) bool {
	if !i.fault.Match(request) {
		return false
	}
	i.matched++
	first, times := max(i.fault.Nth, 1), max(i.fault.Times, 1)
	return i.matched >= first && (i.fault.Times == Always || i.matched < first+times)
}

// faults holds the faults that were injected into a cluster, in the order of their injection.
type faults struct {
	mu         sync.Mutex
	injections []*Injection
}

// apply runs the effect of the first fault that applies to the request. If there is none, it sends the request.
func (f *faults) apply(ctx context.Context, request Request, send Send) (*http.Response, error) {
	if effect := f.effect(request); effect != nil {
		return effect(ctx, request, send)
	}
	return send()
}

func (f *faults) effect(request Request) Effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	var effect Effect
	for _, injection := range f.injections {
		if injection.appliesTo(request) && effect == nil {
			effect = injection.fault.Effect
			injection.applied = append(injection.applied, request)
		}
	}
	return effect
}
