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
	// untilWithin bounds how long a request is repeated, and untilStep is the pause between two.
	untilWithin = time.Minute
	untilStep   = 100 * time.Millisecond
	// eventsWithin bounds how long a watch waits for its events.
	eventsWithin = 5 * time.Second
)

// ConfigFor returns a configuration of clients that act as a user; empty is an admin.
type ConfigFor func(user string) *rest.Config

// Send sends a sequence's requests, and returns the answers by the requests' names.
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

// sender sends the requests of one sequence.
type sender struct {
	configs ConfigFor
	clients map[string]*http.Client
	answers map[string]any
}

// response is an answer as it came.
type response struct {
	code     int
	body     any
	events   []any
	warnings []string
}

func (s *sender) repeat(ctx context.Context, request Request) (response, error) {
	deadline := time.Now().Add(untilWithin)
	for {
		answer, text, err := s.send(ctx, request)
		if err != nil || request.Until.reached(answer, text) {
			return answer, err
		}
		if time.Now().After(deadline) {
			return answer, fmt.Errorf("the answer was not %+v within %s, at last it was %d %s", *request.Until, untilWithin, answer.code, text)
		}
		time.Sleep(untilStep)
	}
}

func (u *Until) reached(answer response, text string) bool {
	return u == nil || (u.Code == 0 || u.Code == answer.code) && strings.Contains(text, u.Contains) &&
		strings.Contains(strings.Join(answer.warnings, "\n"), u.Warning)
}

func (s *sender) send(ctx context.Context, request Request) (response, string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	how := request.methods()[0]
	path, err := s.fill(how.path)
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
	answer, err := s.do(ctx, request, how, path, body)
	if err != nil {
		return response{}, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	if request.Watch != "" && answer.StatusCode == http.StatusOK {
		events, err := readEvents(answer.Body, request.Events, cancel)
		return response{code: answer.StatusCode, events: events, warnings: warnings(answer)}, "", err
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return response{}, "", err
	}
	return response{code: answer.StatusCode, body: parse(text), warnings: warnings(answer)}, string(text), nil
}

// warnings returns the texts of the answer's Warning headers.
func warnings(answer *http.Response) (texts []string) {
	headers, _ := net.ParseWarningHeaders(answer.Header["Warning"]) // of what it cannot parse it returns the rest
	for _, header := range headers {
		texts = append(texts, header.Text)
	}
	return texts
}

func (s *sender) do(ctx context.Context, request Request, how method, path, body string) (*http.Response, error) {
	config := s.configs(request.As)
	client, found := s.clients[request.As]
	if !found {
		var err error
		if client, err = rest.HTTPClientFor(config); err != nil {
			return nil, err
		}
		s.clients[request.As] = client
	}
	r, err := http.NewRequestWithContext(ctx, how.verb, config.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "parity/1") // the manager of fields that a request without fieldManager sets
	r.Header.Set("Accept", "application/json")
	if request.Accept != "" {
		r.Header.Set("Accept", request.Accept)
	}
	if body != "" {
		r.Header.Set("Content-Type", how.mediaType)
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
	return s.fill(strings.ReplaceAll(string(body), "$(long)", strings.Repeat("x", request.Long)))
}

var placeholder = regexp.MustCompile(`\$\(([^.()]+)\.([^()]+)\)`)

// fill replaces $(name.field.path) by fields of earlier answers.
func (s *sender) fill(text string) (string, error) {
	var missing error
	filled := placeholder.ReplaceAllStringFunc(text, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		value, found := field(s.answers[parts[1]], parts[2])
		if !found {
			missing = fmt.Errorf("no answer before this request has %s", match)
		}
		return fmt.Sprint(value)
	})
	return filled, missing
}

// readEvents reads so many events of a watch, or those that come in time.
func readEvents(body io.Reader, count int, cancel context.CancelFunc) ([]any, error) {
	timer := time.AfterFunc(eventsWithin, cancel)
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

// parse returns JSON as values, and other text as it is.
func parse(text []byte) any {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return string(bytes.TrimSpace(text))
	}
	return value
}

// cleanUp has the objects of a sequence deleted, and does not wait for that: no other sequence has objects of these names.
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
