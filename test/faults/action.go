package faults

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action decides what happens to a request. It writes a response, or panics with http.ErrAbortHandler to end the connection or the HTTP/2
// stream without a response.
type Action func(e *Exchange)

// Exchange is one request and its response.
type Exchange struct {
	proxy   *Proxy
	writer  http.ResponseWriter
	request *http.Request
	body    []byte
	removed <-chan struct{}
	// outcome is stored as Write.Outcome when the request has ended.
	outcome string
}

// Forward forwards the request and its response unchanged.
func Forward() Action { return func(e *Exchange) { e.forward(e.writer, e.request) } }

// Refuse responds with a Status object instead of forwarding the request. retryAfter is the value of the Retry-After header, in seconds;
// with 0, the response has no such header.
func Refuse(code int, reason metav1.StatusReason, retryAfter int) Action {
	return func(e *Exchange) {
		e.outcome = fmt.Sprintf("refused with %d", code)
		status := metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: int32(code), Reason: reason, Message: "refused by the fault harness",
		}
		if retryAfter > 0 {
			status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(retryAfter)}
			e.writer.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		e.writeJSON(code, status)
	}
}

// Reset does not forward the request. It resets the client's connection, which also ends all other requests on that connection.
func Reset() Action {
	return func(e *Exchange) {
		e.outcome = "connection reset"
		if conn, ok := e.request.Context().Value(connKey{}).(net.Conn); ok {
			resetConn(conn)
		}
		panic(http.ErrAbortHandler)
	}
}

// Hold waits until the fault is removed or the client ends the request, and then resets the client's connection, like Reset. It does not
// forward the request.
func Hold() Action {
	return func(e *Exchange) {
		select {
		case <-e.removed:
		case <-e.request.Context().Done():
		}
		Reset()(e)
		e.outcome = "held"
	}
}

// ForwardWhenRemoved holds the request until the fault is removed, and then forwards it, even if the client is gone. The client gets no
// response. It simulates a write that was in transit when its sender died.
func ForwardWhenRemoved() Action {
	return func(e *Exchange) {
		<-e.removed
		e.outcome = fmt.Sprintf("late: answered %d", e.forwardDetached())
		panic(http.ErrAbortHandler)
	}
}

// Delay waits before it runs another action. If the client ends the request during the wait, the action does not run.
func Delay(wait time.Duration, next Action) Action {
	return func(e *Exchange) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			next(e)
		case <-e.request.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
}

// ForwardTwice forwards the request twice, as a proxy that retries does. The client gets the second response.
func ForwardTwice() Action {
	return func(e *Exchange) {
		e.forwardDetached()
		e.outcome = "sent twice"
		e.forward(e.writer, e.request)
	}
}

// After forwards the request, waits for the response, drops the response, and runs another action, such as Reset.
func After(next Action) Action {
	return func(e *Exchange) {
		code := e.forwardDetached()
		defer func() { e.outcome = fmt.Sprintf("forwarded (%d), then %s", code, e.outcome) }()
		next(e)
	}
}

// Kill returns an Action that kills the manager by calling kill, and leaves the request without a response.
func Kill(kill func() error) Action {
	return func(e *Exchange) {
		e.outcome = "manager killed"
		if err := kill(); err != nil {
			e.outcome = fmt.Sprintf("killing the manager: %v", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// ExpireWatch responds to a watch with an ERROR event with reason Expired. An API server sends this event if the requested resourceVersion
// is too old.
func ExpireWatch() Action {
	return func(e *Exchange) {
		e.outcome = "resourceVersion too old"
		e.writeJSON(http.StatusOK, map[string]any{"type": "ERROR", "object": metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version",
		}})
	}
}

// Truncate forwards the request, and resets the client's connection after the given number of bytes of the response body, or at the end of
// the body if it is shorter.
func Truncate(bytes int) Action { return forwardPart(func(int) int { return bytes }, Reset()) }

// AfterHalf forwards the request, sends half of the response body, and runs another action.
func AfterHalf(next Action) Action { return forwardPart(func(size int) int { return size / 2 }, next) }

// forwardPart forwards the request, sends a part of the response body, and runs next. share returns the size of that part for the size of
// the body, both in bytes.
func forwardPart(share func(all int) int, next Action) Action {
	return func(e *Exchange) {
		answer := httptest.NewRecorder()
		e.forward(answer, e.request)
		for name, values := range answer.Header() {
			e.writer.Header()[name] = values
		}
		e.writer.WriteHeader(answer.Code)
		content := answer.Body.Bytes()
		_, _ = e.writer.Write(content[:min(share(len(content)), len(content))])
		_ = http.NewResponseController(e.writer).Flush()
		next(e)
	}
}

// forwardWithoutAggregation forwards a discovery request so that the response is not aggregated. The client then has to request each group
// separately.
func forwardWithoutAggregation(e *Exchange) {
	e.request.Header.Set("Accept", "application/json")
	e.forward(e.writer, e.request)
}

func (e *Exchange) writeJSON(code int, content any) {
	encoded, err := json.Marshal(content)
	if err != nil {
		encoded = []byte(err.Error()) // not JSON, so that the client reports an error
	}
	e.writer.Header().Set("Content-Type", "application/json")
	e.writer.WriteHeader(code)
	_, _ = e.writer.Write(append(encoded, '\n')) // an error means that the client is gone
}

// resetConn closes a connection with a TCP reset.
func resetConn(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
