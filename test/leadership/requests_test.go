package leadership

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func auditLine(stage, agent, verb, resource string, second int) string {
	return fmt.Sprintf(`{"stage":%q,"verb":%q,"requestURI":"/u","userAgent":%q,"objectRef":{"resource":%q},"responseStatus":{"code":200},`+
		`"requestReceivedTimestamp":"2026-01-01T00:00:%02d.000000Z","stageTimestamp":"2026-01-01T00:00:%02d.500000Z"}`+"\n", stage, verb, agent, resource, second, second)
}

func TestRequestsSelectsByProgramAndTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	log := auditLine("ResponseComplete", "first/v0", "patch", "configmaps", 1) +
		auditLine("RequestReceived", "first/v0", "patch", "configmaps", 2) +
		auditLine("ResponseComplete", "first/v0", "update", "leases", 3) +
		auditLine("ResponseComplete", "first-other/v0", "patch", "configmaps", 4) +
		auditLine("ResponseComplete", "first/v0 (linux)", "create", "tokenreviews", 5) +
		auditLine("ResponseComplete", "first/v0", "delete", "pods", 6) +
		`{"stage":"Respon`
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(second, milli int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, milli*1e6, time.UTC) }
	request := func(verb, resource string, second int) AuditedRequest {
		return AuditedRequest{Verb: verb, URI: "/u", Resource: resource, Code: 200, From: at(second, 0), To: at(second, 500)}
	}
	got, err := Requests(path, "first", at(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]AuditedRequest{request("update", "leases", 3), request("create", "tokenreviews", 5), request("delete", "pods", 6)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]AuditedRequest{request("delete", "pods", 6)}, Writes(got)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestRequestsRejectsInvalidLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Requests(path, "first", time.Time{}); err == nil {
		t.Error("Requests accepted an invalid line")
	}
}

func TestCheckNoOverlap(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	write := func(from, to int) AuditedRequest {
		return AuditedRequest{Verb: "patch", URI: "/u", From: at(from), To: at(to)}
	}
	for name, test := range map[string]struct {
		earlier, later []AuditedRequest
		valid          bool
	}{
		"no later write":                                {[]AuditedRequest{write(1, 2)}, nil, true},
		"all earlier writes completed before":           {[]AuditedRequest{write(1, 2), write(3, 4)}, []AuditedRequest{write(7, 8), write(5, 6)}, true},
		"an earlier write completed during a later one": {[]AuditedRequest{write(1, 5)}, []AuditedRequest{write(4, 6)}, false},
		"an earlier write sent after a later one":       {[]AuditedRequest{write(1, 2), write(7, 8)}, []AuditedRequest{write(4, 6)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := CheckNoOverlap(test.earlier, test.later); (err == nil) != test.valid {
				t.Errorf("got error %v, want success: %v", err, test.valid)
			}
		})
	}
}

func TestCreatedTwice(t *testing.T) {
	write := func(verb, uri string, code int) AuditedRequest {
		return AuditedRequest{Verb: verb, URI: uri, Code: code}
	}
	got := CreatedTwice([]AuditedRequest{
		write("patch", "/a?fieldManager=m", 201), write("patch", "/b", 201), write("patch", "/b", 200),
		write("create", "/events", 201), write("create", "/events", 201), write("patch", "/a", 201),
	})
	if diff := cmp.Diff([]string{"/a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScaledTimingsAreValidForLeaderElection(t *testing.T) {
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
