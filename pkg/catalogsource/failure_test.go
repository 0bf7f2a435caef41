package catalogsource

import (
	"errors"
	"testing"
)

func TestRepeatedErrorIsNoChange(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string
		same          bool
	}{
		"another port":         {"dial tcp 127.0.0.1:50123->10.0.0.7:443: connection refused", "dial tcp 127.0.0.1:50999->10.0.0.7:443: connection refused", true},
		"another pod":          {"dial tcp 10.128.0.9:50051: i/o timeout", "dial tcp 10.131.2.14:50051: i/o timeout", true},
		"another pod, by IPv6": {"dial tcp [fd01::1:2]:50051: i/o timeout", "dial tcp [fd01::3]:50051: i/o timeout", true},
		"another duration":     {"no answer within 5m0.2s", "no answer within 4m59s", true},
		"another time taken":   {"no answer after 12.5s", "no answer after 300ms", true},
		"another code":         {"server answers 503 Service Unavailable", "server answers 404 Not Found", false},
		"another blob":         {`blob 5 of package "3scale"`, `blob 912 of package "3scale"`, false},
		"another package":      {`blob 5 of package "3scale"`, `blob 5 of package "k8s-thing"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if same := normalizeError(errors.New(test.before)) == normalizeError(errors.New(test.after)); same != test.same {
				t.Errorf("%s, %s: the same: %t", test.before, test.after, same)
			}
		})
	}
}
