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

// Always is for Fault.Times: all matching requests from the Nth on.
const Always = -1

// Fault changes what becomes of some requests.
type Fault struct {
	// Match selects the requests, before they are sent. It must not use the cluster. Required.
	Match func(Request) bool
	// Nth is the first matching request that the fault applies to, counted from 1; 0 means 1.
	Nth int
	// Times is how many matching requests in a row the fault applies to; 0 means 1, Always all.
	Times int
	// Effect is what becomes of them. Required.
	Effect Effect
}

// Effect is what becomes of a request: it sends the request or not, and returns what the client gets.
type Effect func(ctx context.Context, request Request, send Send) (*http.Response, error)

// Send sends a request to the API server and returns the response.
type Send func() (*http.Response, error)

// Delay sends a request later. The client may give up meanwhile.
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

// Refuse answers with a Status of an API server instead of sending the request. Retry-After is set if retryAfter, in whole seconds, is
// not 0.
func Refuse(code int, reason metav1.StatusReason, retryAfter time.Duration) Effect {
	return func(context.Context, Request, Send) (*http.Response, error) {
		status := metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: int32(code), Reason: reason, Message: "refused by an injected fault",
		}
		header := http.Header{"Content-Type": {"application/json"}}
		if seconds := int(retryAfter / time.Second); seconds > 0 {
			status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds)}
			header.Set("Retry-After", strconv.Itoa(seconds))
		}
		content, err := json.Marshal(status)
		if err != nil {
			return nil, err
		}
		return &http.Response{
			Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header, Body: io.NopCloser(bytes.NewReader(content)), ContentLength: int64(len(content)),
		}, nil
	}
}

// LoseRequest fails a request as if the connection had been lost before the API server got it. It calls do, which may be nil, first: to
// kill the process, for instance.
func LoseRequest(do func()) Effect {
	return func(context.Context, Request, Send) (*http.Response, error) {
		if do != nil {
			do()
		}
		return nil, fmt.Errorf("injected fault: %w", syscall.ECONNRESET)
	}
}

// LoseResponse sends a request, which must not be a watch, and fails it as if the connection had been lost before the response came. It
// calls do, which may be nil, in between.
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

// Around sends a request, which must not be a watch. It calls before, and, when the API server has carried the request out, after: to take
// a Snapshot, for instance.
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

// sendWhole sends a request and returns when the API server has carried it out.
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

// Inject adds a fault. Every fault that matches a request counts it. If several would apply to it, the one that was injected first applies.
func (c *Cluster) Inject(fault Fault) *Injection {
	injection := &Injection{fault: fault, faults: &c.faults}
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.injections = append(c.faults.injections, injection)
	return injection
}

// Injection is a fault that is in place.
type Injection struct {
	fault  Fault
	faults *faults
	// matched counts the requests that matched; applied are those that the fault applied to. The lock of faults guards both.
	matched int
	applied []Request
}

// Remove takes the fault out.
func (i *Injection) Remove() {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	i.faults.injections = slices.DeleteFunc(i.faults.injections, func(other *Injection) bool { return other == i })
}

// Applied returns the requests that the fault applied to so far.
func (i *Injection) Applied() []Request {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return slices.Clone(i.applied)
}

// Matched returns how many requests matched so far.
func (i *Injection) Matched() int {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return i.matched
}

// appliesTo counts a request if it matches, and reports whether the fault applies to it.
func (i *Injection) appliesTo(request Request) bool {
	if !i.fault.Match(request) {
		return false
	}
	i.matched++
	first, times := max(i.fault.Nth, 1), max(i.fault.Times, 1)
	return i.matched >= first && (i.fault.Times == Always || i.matched < first+times)
}

// faults are those that are in place, in the order in which they were injected.
type faults struct {
	mu         sync.Mutex
	injections []*Injection
}

// apply sends a request, or does what the fault does that applies to it.
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
