package steady

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ManagersUser is the manager's user name in audit events.
const ManagersUser = "system:serviceaccount:openshift-platform-operators:platform-operators"

// maxLine is the maximum size of an event in the log, in bytes. At level Metadata, an event is one or two KiB.
const maxLine = 1 << 20

// Requests holds the numbers of one user's requests, by type.
type Requests struct {
	// Writes, Gets and Lists do not include requests for leases. Watches is the number of watches that began or ended. Leases is the
	// number of all requests for leases.
	Writes, Gets, Lists, Watches, Leases int
	// Each holds the numbers of Writes, Gets and Lists, keyed by "<verb> <path>".
	Each map[string]int
	// Written holds the numbers of Writes, keyed by "<resource>" or "<resource>/<subresource>".
	Written map[string]int
}

// Log reads an audit log incrementally: each Read continues where the previous one ended.
type Log struct {
	path   string
	offset int64
}

// OpenLog returns a Log for the audit log at path, which must exist. The first Read starts at the current end of the log.
func OpenLog(path string) (*Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w; was the cluster started with one?", err)
	}
	return &Log{path: path, offset: info.Size()}, nil
}

// Read returns a user's requests since the last Read. It returns an error if the log is shorter than at the last Read, because a rotated
// log can lack events.
func (l *Log) Read(user string) (Requests, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return Requests{}, fmt.Errorf("reading the audit log: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Requests{}, fmt.Errorf("reading the audit log: %w", err)
	}
	if info.Size() < l.offset {
		return Requests{}, fmt.Errorf("reading the audit log %q: it was rotated since it was read last", l.path)
	}
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return Requests{}, fmt.Errorf("reading the audit log: %w", err)
	}
	return l.count(bufio.NewReaderSize(file, 64<<10), user)
}

type event struct {
	Verb string `json:"verb"`
	URI  string `json:"requestURI"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
}

// count reads the complete lines and returns a user's requests. It leaves an incomplete line for the next Read.
func (l *Log) count(reader *bufio.Reader, user string) (Requests, error) {
	requests := Requests{Each: map[string]int{}, Written: map[string]int{}}
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return requests, nil
		}
		if err != nil {
			return Requests{}, fmt.Errorf("reading the audit log: %w", err)
		}
		l.offset += int64(len(line))
		if len(line) > maxLine {
			return Requests{}, fmt.Errorf("reading the audit log: a line has %d bytes, and the limit is %d", len(line), maxLine)
		}
		var seen event
		if err := json.Unmarshal(line, &seen); err != nil {
			return Requests{}, fmt.Errorf("reading the audit log: line at byte %d: %w", l.offset-int64(len(line)), err)
		}
		if seen.User.Username == user {
			requests.add(seen)
		}
	}
}

func (r *Requests) add(seen event) {
	switch {
	case seen.ObjectRef.Resource == "leases":
		r.Leases++
		return
	case seen.Verb == "watch":
		r.Watches++
		return
	case seen.Verb == "get":
		r.Gets++
	case seen.Verb == "list":
		r.Lists++
	default:
		r.Writes++
		r.Written[strings.TrimSuffix(seen.ObjectRef.Resource+"/"+seen.ObjectRef.Subresource, "/")]++
	}
	path, _, _ := strings.Cut(seen.URI, "?")
	r.Each[seen.Verb+" "+path]++
}

// Add adds the numbers of later requests to r.
func (r *Requests) Add(later Requests) {
	r.Writes += later.Writes
	r.Gets += later.Gets
	r.Lists += later.Lists
	r.Watches += later.Watches
	r.Leases += later.Leases
	addCounts(&r.Each, later.Each)
	addCounts(&r.Written, later.Written)
}

func addCounts(counts *map[string]int, later map[string]int) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	for name, times := range later {
		(*counts)[name] += times
	}
}

// Total returns the number of requests that an idle manager should not send.
func (r Requests) Total() int { return r.Writes + r.Gets + r.Lists }

// String returns the numbers of requests by type, and the 20 most frequent requests.
func (r Requests) String() string {
	lines := make([]string, 0, len(r.Each))
	for each := range r.Each {
		lines = append(lines, each)
	}
	slices.SortFunc(lines, func(a, b string) int {
		if r.Each[a] != r.Each[b] {
			return r.Each[b] - r.Each[a]
		}
		return strings.Compare(a, b)
	})
	for i, each := range lines {
		lines[i] = fmt.Sprintf("%d× %s", r.Each[each], each)
	}
	if len(lines) > 20 {
		lines = append(lines[:20], fmt.Sprintf("and %d more", len(lines)-20))
	}
	return fmt.Sprintf("%d writes, %d GETs, %d LISTs; %d watches and %d of leases are not counted: %s",
		r.Writes, r.Gets, r.Lists, r.Watches, r.Leases, strings.Join(lines, ", "))
}
