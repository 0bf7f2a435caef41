package leadership

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// maxLine is the maximum size of a line of the audit log, in bytes. A line is one event, of one or two KiB at level Metadata.
const maxLine = 1 << 20

// AuditedRequest is a completed request in the API server's audit log.
type AuditedRequest struct {
	// Verb, URI and Resource describe the request. Resource does not include the group; it is empty if the request is not for a resource.
	Verb, URI, Resource string
	// Code is the status code of the response.
	Code int
	// From is the time at which the API server received the request. To is the time at which it completed the response.
	From, To time.Time
}

// String returns the time, verb, URI and status code, as in "14:03:05.123 patch /apis/… (200)".
func (a AuditedRequest) String() string {
	return fmt.Sprintf("%s %s %s (%d)", a.From.Format("15:04:05.000"), a.Verb, a.URI, a.Code)
}

// Write reports whether the request changes an object. Changes of leases, and access reviews, do not count.
func (a AuditedRequest) Write() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, a.Verb) &&
		a.Resource != "leases" && !strings.HasSuffix(a.Resource, "reviews")
}

type auditEvent struct {
	Stage     string `json:"stage"`
	Verb      string `json:"verb"`
	URI       string `json:"requestURI"`
	UserAgent string `json:"userAgent"`
	ObjectRef struct {
		Resource string `json:"resource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Received time.Time `json:"requestReceivedTimestamp"`
	Staged   time.Time `json:"stageTimestamp"`
}

// Requests returns the completed requests that the API server received after the time after, in the order of the audit log. program is the
// name of the manager's program, with which its user agent begins.
func Requests(auditLog, program string, after time.Time) ([]AuditedRequest, error) {
	file, err := os.Open(auditLog)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w; was the cluster started with one?", err)
	}
	defer file.Close()
	var found []AuditedRequest
	for reader, number := bufio.NewReaderSize(file, 64<<10), 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return found, nil // the API server is still writing an incomplete line
		}
		if err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("reading the audit log: line %d has %d bytes, and the limit is %d", number, len(line), maxLine)
		}
		var event auditEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("reading the audit log: line %d: %w", number, err)
		}
		if event.Stage == "ResponseComplete" && strings.HasPrefix(event.UserAgent, program+"/") && event.Received.After(after) {
			found = append(found, AuditedRequest{Verb: event.Verb, URI: event.URI, Resource: event.ObjectRef.Resource, Code: event.ResponseStatus.Code,
				From: event.Received, To: event.Staged})
		}
	}
}

// Writes returns the requests for which AuditedRequest.Write is true.
func Writes(requests []AuditedRequest) []AuditedRequest {
	return slices.DeleteFunc(slices.Clone(requests), func(a AuditedRequest) bool { return !a.Write() })
}

// CheckNoOverlap returns an error unless all writes of the earlier manager completed before the API server received the first write of the
// later manager. earlier and later are the writes of these managers. It returns nil if later is empty.
func CheckNoOverlap(earlier, later []AuditedRequest) error {
	if len(later) == 0 {
		return nil
	}
	first := slices.MinFunc(later, func(a, b AuditedRequest) int { return a.From.Compare(b.From) })
	var late []string
	for _, write := range earlier {
		if !write.To.Before(first.From) {
			late = append(late, write.String())
		}
	}
	if len(late) > 0 {
		return fmt.Errorf("the later manager sent %s before the earlier manager completed %s", first, strings.Join(late, ", "))
	}
	return nil
}

// CreatedTwice returns the sorted paths of objects that server-side apply created more than once.
func CreatedTwice(writes []AuditedRequest) []string {
	created := map[string]int{}
	for _, write := range writes {
		if path, _, _ := strings.Cut(write.URI, "?"); write.Verb == "patch" && write.Code == 201 {
			created[path]++
		}
	}
	maps.DeleteFunc(created, func(_ string, times int) bool { return times < 2 })
	return slices.Sorted(maps.Keys(created))
}
