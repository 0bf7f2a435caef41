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

// maxLine bounds one event of the log; at level Metadata they take one or two KiB.
const maxLine = 1 << 20

// Asked is an answered request in the API server's audit log.
type Asked struct {
	// Verb and URI are the request's, Resource is of its object.
	Verb, URI, Resource string
	// Code is the answer's.
	Code int
	// From and To are when it came and when it was answered.
	From, To time.Time
}

// String returns "14:03:05.123 patch /apis/… (200)".
func (a Asked) String() string {
	return fmt.Sprintf("%s %s %s (%d)", a.From.Format("15:04:05.000"), a.Verb, a.URI, a.Code)
}

// Write reports whether the request is a write. Writes of leases and reviews do not count.
func (a Asked) Write() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, a.Verb) &&
		a.Resource != "leases" && !strings.HasSuffix(a.Resource, "reviews")
}

type event struct {
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

// Requests returns the requests of the manager with this program name after a time, in the order of the log.
func Requests(auditLog, program string, after time.Time) ([]Asked, error) {
	file, err := os.Open(auditLog)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w; was the cluster started with one?", err)
	}
	defer file.Close()
	var found []Asked
	for reader, number := bufio.NewReaderSize(file, 64<<10), 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return found, nil // a line without an end is still being written
		}
		if err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("reading the audit log: line %d has %d bytes, and %d are read", number, len(line), maxLine)
		}
		var seen event
		if err := json.Unmarshal(line, &seen); err != nil {
			return nil, fmt.Errorf("reading the audit log: line %d: %w", number, err)
		}
		if seen.Stage == "ResponseComplete" && strings.HasPrefix(seen.UserAgent, program+"/") && seen.Received.After(after) {
			found = append(found, Asked{Verb: seen.Verb, URI: seen.URI, Resource: seen.ObjectRef.Resource, Code: seen.ResponseStatus.Code,
				From: seen.Received, To: seen.Staged})
		}
	}
}

// Writes returns the requests that are writes.
func Writes(requests []Asked) []Asked {
	return slices.DeleteFunc(slices.Clone(requests), func(a Asked) bool { return !a.Write() })
}

// Apart returns nil if all writes of one manager were answered before the other manager's first write.
func Apart(earlier, later []Asked) error {
	if len(later) == 0 {
		return nil
	}
	first := slices.MinFunc(later, func(a, b Asked) int { return a.From.Compare(b.From) })
	var late []string
	for _, write := range earlier {
		if !write.To.Before(first.From) {
			late = append(late, write.String())
		}
	}
	if len(late) > 0 {
		return fmt.Errorf("one manager wrote %s, and the other one still wrote %s", first, strings.Join(late, ", "))
	}
	return nil
}

// CreatedTwice returns the paths of objects that server-side apply has created more than once.
func CreatedTwice(writes []Asked) []string {
	made := map[string]int{}
	for _, write := range writes {
		if path, _, _ := strings.Cut(write.URI, "?"); write.Verb == "patch" && write.Code == 201 {
			made[path]++
		}
	}
	maps.DeleteFunc(made, func(_ string, times int) bool { return times < 2 })
	return slices.Sorted(maps.Keys(made))
}
