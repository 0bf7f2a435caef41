package bundledeployment

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

func TestENG_P7_AServiceAccountIsTheOneThatWasUsed(t *testing.T) {
	for name, c := range map[string]struct {
		account string
		// known is the UID with which an earlier revision was started.
		known      string
		isOneRound bool
		uid, want  string
	}{
		"the manager":                        {"", "", false, "", ""},
		"used for the first time":            {"deployer", "", false, "1", ""},
		"used before":                        {"deployer", "1", false, "1", ""},
		"created again":                      {"deployer", "0", false, "", "it was deleted and created again: it has UID 1, and the objects were applied as the one with UID 0"},
		"deleted after it was used":          {"nobody", "1", false, "", "no other one of its name is used, because the objects were applied as the one with UID 1; set spec.serviceAccountName"},
		"missing":                            {"nobody", "", false, "", "it does not exist"},
		"in a process that only computes":    {"deployer", "", true, "", "this process only computes the changes"},
		"the manager in such a process, too": {"", "", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.accounts.create(t, "deployer", "1")
			f.c.isOneRound = c.isOneRound
			f.one.ServiceAccount, f.one.AccountUID = c.account, c.known
			uid, err := f.accountUID(t.Context(), c.account)
			if uid != c.uid || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("UID %q, error %v, want %q", uid, err, c.want)
			}
			if problem := problemOf(err); err != nil && !problem.Refused {
				t.Errorf("%v is no refusal", err)
			}
		})
	}
}

func TestAFormerServiceAccountPrunesUnlessItIsGone(t *testing.T) {
	for name, c := range map[string]struct{ former, active, want string }{
		"it exists":                {"deployer", "successor", "deployer"},
		"it is gone":               {"nobody", "successor", "successor"},
		"of the manager":           {"", "successor", ""},
		"both are gone":            {"nobody", "nobody", "refused"},
		"only the manager is left": {"nobody", "", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.accounts.create(t, "deployer", "1")
			f.accounts.create(t, "successor", "2")
			f.one.ServiceAccount = c.active
			f.machine = revision.NewMachine(revision.Input{Deployment: f.before, History: &f.memory.history, Desired: f.source.desired})
			f.machine.Next(f.clock.Now()) // finds the active revision
			got, err := f.removingAccount(t.Context(), &revision.Revision{Header: revision.Header{ServiceAccount: c.former}})
			if refusal := problemOf(err).Refused; refusal {
				got = "refused"
			}
			if got != c.want {
				t.Errorf("removed by %q, want %q: %v", got, c.want, err)
			}
			if as, err := f.identityOf(c.former); err != nil || as.Name != c.former {
				t.Errorf("identity %+v, error %v", apply.Identity{Name: as.Name}, err)
			}
		})
	}
}
