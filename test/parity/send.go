package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

const (
	// untilTimeout is the maximum time for which a request with Until is repeated. untilInterval is the pause between attempts.
	untilTimeout  = time.Minute
	untilInterval = 100 * time.Millisecond
	// eventsTimeout is the maximum time for which a watch waits for its events.
	eventsTimeout = 5 * time.Second
)

// ConfigFor is a function that returns the client configuration for a user. The user "" is an admin.
type ConfigFor func(user string) *rest.Config

// Send sends the requests of a sequence in order, and returns the answers keyed by request name. It returns an error if a request gets no
// response, or none that matches Until. It deletes the sequence's objects at the end, even after an error.
func Send(ctx context.Context, sequence Sequence, configs ConfigFor) (map[string]Answer, error) {
	s := sender{configs: configs, clients: map[string]*http.Client{}, answers: map[string]any{}}
	defer s.close()
	defer s.cleanUp(context.WithoutCancel(ctx), sequence)
	mask := newMask()
	answers := map[string]Answer{}
	for _, request := range sequence.Requests {
		raw, err := s.repeat(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", sequence.Name, request.Name, err)
		}
		s.answers[request.Name] = raw.body
		answers[request.Name] = mask.answer(request.Name, raw, request.Pick)
	}
	return answers, nil
}

// sender sends the requests of one sequence. clients has an HTTP client for each user. answers has the decoded bodies of earlier responses,
// keyed by request name, for expand.
type sender struct {
	configs ConfigFor
	clients map[string]*http.Client
	answers map[string]any
}

// response is a response before mask replaces values in it.
type response struct {
	code     int
	body     any
	events   []any
	warnings []string
}

func (s *sender) repeat(ctx context.Context, request Request) (response, error) {
	deadline := time.Now().Add(untilTimeout)
	for {
		answer, jsonText, err := s.send(ctx, request)
		if err != nil || request.Until.isMet(answer, jsonText) {
			return answer, err
		}
		if time.Now().After(deadline) {
			return answer, fmt.Errorf("the response was not %+v within %s; the last one was %d %s", *request.Until, untilTimeout, answer.code, jsonText)
		}
		time.Sleep(untilInterval)
	}
}

func (u *Until) isMet(answer response, jsonText string) bool {
	return u == nil || (u.Code == 0 || u.Code == answer.code) && strings.Contains(jsonText, u.Contains) &&
		strings.Contains(strings.Join(answer.warnings, "\n"), u.Warning)
}

func (s *sender) send(ctx context.Context, request Request) (response, string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	method := request.methods()[0]
	path, err := s.expand(method.path)
	if err != nil {
		return response{}, "", err
	}
	body, err := s.body(request)
	if err != nil {
		return response{}, "", err
	}
	if request.Watch != "" {
		path += "&watch=true"
	}
	answer, err := s.do(ctx, request, method, path, body)
	if err != nil {
		return response{}, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	if request.Watch != "" && answer.StatusCode == http.StatusOK {
		events, err := readEvents(answer.Body, request.Events, cancel)
		return response{code: answer.StatusCode, events: events, warnings: warnings(answer)}, "", err
	}
	jsonText, err := io.ReadAll(answer.Body)
	if err != nil {
		return response{}, "", err
	}
	return response{code: answer.StatusCode, body: parse(jsonText), warnings: warnings(answer)}, string(jsonText), nil
}

// warnings returns the texts of the response's Warning headers.
func warnings(answer *http.Response) (texts []string) {
	headers, _ := net.ParseWarningHeaders(answer.Header["Warning"]) // despite errors, the result has the headers that can be parsed
	for _, header := range headers {
		texts = append(texts, header.Text)
	}
	return texts
}

func (s *sender) do(ctx context.Context, request Request, method method, path, body string) (*http.Response, error) {
	config := s.configs(request.As)
	client, found := s.clients[request.As]
	if !found {
		var err error
		if client, err = rest.HTTPClientFor(config); err != nil {
			return nil, err
		}
		s.clients[request.As] = client
	}
	r, err := http.NewRequestWithContext(ctx, method.verb, config.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "parity/1") // the default field manager
	r.Header.Set("Accept", "application/json")
	if request.Accept != "" {
		r.Header.Set("Accept", request.Accept)
	}
	if body != "" {
		r.Header.Set("Content-Type", method.mediaType)
	}
	return client.Do(r)
}

func (s *sender) body(request Request) (string, error) {
	if request.Body == nil {
		return request.Raw, nil
	}
	body, err := json.Marshal(request.Body)
	if err != nil {
		return "", err
	}
	return s.expand(strings.ReplaceAll(string(body), "$(long)", strings.Repeat("x", request.Long)))
}

var placeholder = regexp.MustCompile(`\$\(([^.()]+)\.([^()]+)\)`)

// expand replaces each $(name.field.path) with the field of the response to the earlier request with that name. It returns an error if
// there is no such field.
func (s *sender) expand(jsonText string) (string, error) {
	var missing error
	filled := placeholder.ReplaceAllStringFunc(jsonText, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		value, found := field(s.answers[parts[1]], parts[2])
		if !found {
			missing = fmt.Errorf("no earlier response has %s", match)
		}
		return fmt.Sprint(value)
	})
	return filled, missing
}

// readEvents reads up to count events from a watch. After eventsTimeout it calls cancel, and returns the events that arrived.
func readEvents(body io.Reader, count int, cancel context.CancelFunc) ([]any, error) {
	timer := time.AfterFunc(eventsTimeout, cancel)
	defer timer.Stop()
	decoder := json.NewDecoder(body)
	events := []any{}
	for len(events) < count {
		var event any
		err := decoder.Decode(&event)
		if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading event %d: %w", len(events)+1, err)
		}
		events = append(events, event)
	}
	return events, nil
}

// parse returns the decoded JSON, or the text as a string if it is not JSON.
func parse(jsonText []byte) any {
	var value any
	if err := json.Unmarshal(jsonText, &value); err != nil {
		return string(bytes.TrimSpace(jsonText))
	}
	return value
}

// cleanUp deletes the objects of a sequence and ignores errors. It does not wait for the deletions, because no other sequence uses
// the objects' names.
func (s *sender) cleanUp(ctx context.Context, sequence Sequence) {
	for _, path := range sequence.Cleanup {
		_, _, _ = s.send(ctx, Request{Delete: path})
	}
}

func (s *sender) close() {
	for _, client := range s.clients {
		client.CloseIdleConnections()
	}
}
