package leadership

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func line(stage, agent, verb, resource string, second int) string {
	return fmt.Sprintf(`{"stage":%q,"verb":%q,"requestURI":"/u","userAgent":%q,"objectRef":{"resource":%q},"responseStatus":{"code":200},`+
		`"requestReceivedTimestamp":"2026-01-01T00:00:%02d.000000Z","stageTimestamp":"2026-01-01T00:00:%02d.500000Z"}`+"\n", stage, verb, agent, resource, second, second)
}

func TestRequestsAreThoseOfOneProgramAfterAMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	log := line("ResponseComplete", "first/v0", "patch", "configmaps", 1) +
		line("RequestReceived", "first/v0", "patch", "configmaps", 2) +
		line("ResponseComplete", "first/v0", "update", "leases", 3) +
		line("ResponseComplete", "first-other/v0", "patch", "configmaps", 4) +
		line("ResponseComplete", "first/v0 (linux)", "create", "tokenreviews", 5) +
		line("ResponseComplete", "first/v0", "delete", "pods", 6) +
		`{"stage":"Respon`
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(second, milli int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, milli*1e6, time.UTC) }
	asked := func(verb, resource string, second int) Asked {
		return Asked{Verb: verb, URI: "/u", Resource: resource, Code: 200, From: at(second, 0), To: at(second, 500)}
	}
	got, err := Requests(path, "first", at(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Asked{asked("update", "leases", 3), asked("create", "tokenreviews", 5), asked("delete", "pods", 6)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Asked{asked("delete", "pods", 6)}, Writes(got)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Requests(path, "first", time.Time{}); err == nil {
		t.Error("nonsense was read")
	}
}

func TestWritesOfTwoManagersAreApart(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	write := func(from, to int) Asked { return Asked{Verb: "patch", URI: "/u", From: at(from), To: at(to)} }
	for name, test := range map[string]struct {
		earlier, later []Asked
		apart          bool
	}{
		"the later one wrote nothing":                      {[]Asked{write(1, 2)}, nil, true},
		"one after the other":                              {[]Asked{write(1, 2), write(3, 4)}, []Asked{write(7, 8), write(5, 6)}, true},
		"an answer that came when the other one had begun": {[]Asked{write(1, 5)}, []Asked{write(4, 6)}, false},
		"a write after the other one's":                    {[]Asked{write(1, 2), write(7, 8)}, []Asked{write(4, 6)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Apart(test.earlier, test.later); (err == nil) != test.apart {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatWasMadeTwiceIsNamed(t *testing.T) {
	write := func(verb, uri string, code int) Asked { return Asked{Verb: verb, URI: uri, Code: code} }
	got := CreatedTwice([]Asked{
		write("patch", "/a?fieldManager=m", 201), write("patch", "/b", 201), write("patch", "/b", 200),
		write("create", "/events", 201), write("create", "/events", 201), write("patch", "/a", 201),
	})
	if diff := cmp.Diff([]string{"/a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScaledTimingsKeepTheLeasesRules(t *testing.T) {
	for name, timings := range map[string]Timings{"highly available": HighlyAvailable, "single node": SingleNode} {
		scaled := timings.Scaled(10)
		if scaled.Lease != scaled.Lease.Truncate(time.Second) {
			t.Errorf("%s: the lease duration %s is not in whole seconds", name, scaled.Lease)
		}
		if scaled.Lease <= scaled.Renew {
			t.Errorf("%s: the lease duration %s is not longer than the renew deadline %s", name, scaled.Lease, scaled.Renew)
		}
		if scaled.Renew <= 2*scaled.Retry {
			t.Errorf("%s: the renew deadline %s is not longer than two retry periods of %s", name, scaled.Renew, scaled.Retry)
		}
	}
}
