package scenario_test

import (
	"errors"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestOnlyTheProcessOfKillIsKilled(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle()) // RBAC then permits all users to read the version
		killed, other := s.NewProcess(scenario.AdminUser), s.NewProcess(scenario.AdminUser)
		if killed.IsKilled() || other.IsKilled() {
			t.Error("a new process is killed")
		}
		killed.Kill()
		killed.Kill() // has no effect
		for name, test := range map[string]struct {
			process *scenario.Process
			want    error
		}{
			"the process":                   {killed, scenario.ErrKilled},
			"another process of its user":   {other, nil},
			"a later process of its user":   {s.NewProcess(scenario.AdminUser), nil},
			"a process of a different user": {s.NewProcess("someone"), nil},
		} {
			if isKilled := test.process.IsKilled(); isKilled != (test.want != nil) {
				t.Errorf("%s: IsKilled returns %t", name, isKilled)
			}
			client, err := kubernetes.NewForConfig(test.process.ClientConfig())
			s.must(err)
			if _, err := client.Discovery().ServerVersion(); !errors.Is(err, test.want) {
				t.Errorf("%s: its request returns %v, want %v", name, err, test.want)
			}
		}
	})
}
