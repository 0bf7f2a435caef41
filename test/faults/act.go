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

// Act is what becomes of a request. It answers, or lets the connection or the stream go by panicking with
// http.ErrAbortHandler, which net/http takes for exactly that.
type Act func(e *Exchange)

// Exchange is one request and its answer.
type Exchange struct {
	proxy   *Proxy
	writer  http.ResponseWriter
	request *http.Request
	body    []byte
	lifted  <-chan struct{}
	// outcome is what the recorder tells of it.
	outcome string
}

// Pass passes the request on, as if nothing was.
func Pass() Act { return func(e *Exchange) { e.forward(e.writer, e.request) } }

// Refuse answers with a status of the API server's, and Retry-After in seconds where that is not 0. Nothing is passed on.
func Refuse(code int, reason metav1.StatusReason, retryAfter int) Act {
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

// Reset cuts the connection, and with it all other requests on it.
func Reset() Act {
	return func(e *Exchange) {
		e.outcome = "connection reset"
		if conn, ok := e.request.Context().Value(connKey{}).(net.Conn); ok {
			cut(conn)
		}
		panic(http.ErrAbortHandler)
	}
}

// Hold neither passes the request on nor answers, until the client gives up or the injection is lifted; then the connection
// is reset.
func Hold() Act {
	return func(e *Exchange) {
		select {
		case <-e.lifted:
		case <-e.request.Context().Done():
		}
		Reset()(e)
		e.outcome = "held"
	}
}

// Late keeps the request back until the injection is lifted, and then passes it on, even if the client has ended since: what was
// on its way when a process died. The answer goes to nobody.
func Late() Act {
	return func(e *Exchange) {
		<-e.lifted
		e.outcome = fmt.Sprintf("late: answered %d", e.carryOut())
		panic(http.ErrAbortHandler)
	}
}

// Delay waits before it goes on with another act.
func Delay(wait time.Duration, next Act) Act {
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

// Twice passes the request on twice, as an intermediary that repeats it would; the second answer counts.
func Twice() Act {
	return func(e *Exchange) {
		e.carryOut()
		e.outcome = "sent twice"
		e.forward(e.writer, e.request)
	}
}

// After passes the request on, waits until it has gone through, keeps the answer back, and goes on with another act.
func After(next Act) Act {
	return func(e *Exchange) {
		code := e.carryOut()
		defer func() { e.outcome = fmt.Sprintf("gone through (%d), then %s", code, e.outcome) }()
		next(e)
	}
}

// Kill ends the manager, by the function given, and answers nothing.
func Kill(kill func() error) Act {
	return func(e *Exchange) {
		e.outcome = "manager killed"
		if err := kill(); err != nil {
			e.outcome = fmt.Sprintf("killing the manager: %v", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// TooOld answers a watch with the event that says that its resourceVersion is too old.
func TooOld() Act {
	return func(e *Exchange) {
		e.outcome = "resourceVersion too old"
		e.writeJSON(http.StatusOK, map[string]any{"type": "ERROR", "object": metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version",
		}})
	}
}

// Cut passes the request on, and resets the connection when this many bytes of the answer have been sent.
func Cut(bytes int) Act { return partly(func(int) int { return bytes }, Reset()) }

// Half passes the request on, and goes on with another act when half of the answer has been sent.
func Half(next Act) Act { return partly(func(all int) int { return all / 2 }, next) }

// partly sends as much of the answer as share says of its size.
func partly(share func(all int) int, next Act) Act {
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

// plainly asks for unaggregated discovery, which older servers have: then each group is asked for by itself.
func plainly(e *Exchange) {
	e.request.Header.Set("Accept", "application/json")
	e.forward(e.writer, e.request)
}

func (e *Exchange) writeJSON(code int, content any) {
	encoded, err := json.Marshal(content)
	if err != nil {
		encoded = []byte(err.Error()) // whoever reads it complains
	}
	e.writer.Header().Set("Content-Type", "application/json")
	e.writer.WriteHeader(code)
	_, _ = e.writer.Write(append(encoded, '\n')) // a client that is gone reads nothing
}

// cut closes a connection so that its other end sees a reset.
func cut(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
