package steady

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func line(user, verb, resource, uri string) string {
	return fmt.Sprintf(`{"verb":%q,"requestURI":%q,"user":{"username":%q},"objectRef":{"resource":%q}}`+"\n", verb, uri, user, resource)
}

func appendTo(t *testing.T, path string, lines ...string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
}

func TestReadCountsRequestsOfAUserSinceTheLastRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	appendTo(t, path, line("me", "create", "configmaps", "/before"))
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, path,
		line("me", "get", "configmaps", "/api/v1/c?timeout=1s"), line("me", "get", "configmaps", "/api/v1/c"),
		line("me", "list", "pods", "/api/v1/pods"), line("me", "patch", "pods", "/api/v1/pods/p"), line("me", "delete", "pods", "/api/v1/pods/p"),
		line("me", "watch", "pods", "/api/v1/pods"), line("me", "update", "leases", "/lease"), line("me", "get", "leases", "/lease"),
		line("other", "delete", "pods", "/api/v1/pods"),
		`{"verb":"get","requ`)
	got, err := log.Read("me")
	if err != nil {
		t.Fatal(err)
	}
	want := Requests{Writes: 2, Gets: 2, Lists: 1, Watches: 1, Leases: 2, Each: map[string]int{
		"get /api/v1/c": 2, "list /api/v1/pods": 1, "patch /api/v1/pods/p": 1, "delete /api/v1/pods/p": 1,
	}, Written: map[string]int{"pods": 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got.Total() != 5 || !strings.HasPrefix(got.String(), "2 writes, 2 GETs, 1 LISTs; 1 watches and 2 of leases are not counted: 2× get /api/v1/c, 1× delete") {
		t.Errorf("total %d, %s", got.Total(), got)
	}

	t.Run("a line that was cut off is read when it is whole", func(t *testing.T) {
		appendTo(t, path, `estURI":"/late","user":{"username":"me"},"objectRef":{}}`+"\n")
		got, err := log.Read("me")
		if err != nil || got.Total() != 1 || got.Each["get /late"] != 1 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("a log that was rotated is an error", func(t *testing.T) {
		if err := os.Truncate(path, 3); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Read("me"); err == nil || !strings.Contains(err.Error(), "rotated") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAddSumsRequests(t *testing.T) {
	var got Requests
	got.Add(Requests{Writes: 1, Gets: 2, Lists: 3, Watches: 4, Leases: 5, Each: map[string]int{"get /a": 2}, Written: map[string]int{"events": 1}})
	got.Add(Requests{Writes: 1, Gets: 1, Lists: 1, Watches: 1, Leases: 1, Each: map[string]int{"get /a": 1, "get /b": 1}, Written: map[string]int{"events": 1, "pods": 2}})
	want := Requests{Writes: 2, Gets: 3, Lists: 4, Watches: 5, Leases: 6,
		Each: map[string]int{"get /a": 3, "get /b": 1}, Written: map[string]int{"events": 2, "pods": 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestReadRejectsInvalidLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	appendTo(t, path, "")
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, path, "nonsense\n")
	if _, err := log.Read("me"); err == nil || !strings.Contains(err.Error(), "byte 0") {
		t.Errorf("got %v, want an error that says where", err)
	}
}
