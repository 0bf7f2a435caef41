package perturb_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/perturb"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

const (
	createSource = `- create: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, labels: {copy: protected}}, data: {content: one}}` + "\n"
	editSource   = `- patch: {object: ConfigMap/default/a, data: {content: two}}` + "\n"
	deleteSource = `- delete: ConfigMap/default/a` + "\n"
	createOther  = `- create: {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default, labels: {copy: unprotected}}, data: {content: one}}` + "\n"
	deleteOther  = `- delete: ConfigMap/default/b` + "\n"
)

// life is a story that exercises every function of the operator.
const life = createSource + editSource + deleteSource + createSource + createOther + deleteOther + createOther

func TestPerturbationsFindEachDefect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		defect defect
		steps  string
		// finder is the pattern whose perturbations must find the defect.
		finder perturb.Pattern
	}{
		{none, life, ""},
		{recordsBeforeItActs, createSource, perturb.Restart},
		{ignoresUpdates, createOther + deleteOther + createOther, perturb.MergedSteps},
		{deletesByName, createSource + deleteSource + createSource, perturb.StaleRestart},
		{waitsASecond, createSource, perturb.DelayedEvent},
		{ignoresDeletions, createSource, perturb.RestoredSnapshot},
		{ignoresLaterDeletions, createSource, perturb.RestoredAfterRestart},
	} {
		t.Run("an operator with a defect: "+string(c.defect), func(t *testing.T) {
			t.Parallel()
			found := failures(t, c.defect, c.steps, c.finder)
			if c.finder != "" && len(found) == 0 {
				t.Errorf("no perturbation of pattern %q found the defect", c.finder)
			}
			if c.finder == "" && len(found) > 0 {
				t.Errorf("found in an operator without a defect: %v", found)
			}
		})
	}
}

// failures runs the perturbations of a pattern until one fails, or those of all patterns, and returns the last failure of each pattern.
func failures(t *testing.T, made defect, steps string, only perturb.Pattern) map[perturb.Pattern]string {
	t.Helper()
	from := prepared(t)
	operator := underTest(t, made)
	recording, err := record(t, operator, from, steps)
	if err != nil {
		t.Fatal(err)
	}
	all := recording.Perturbations()
	patterns := map[perturb.Pattern]int{}
	found, skipped := map[perturb.Pattern]string{}, map[perturb.Pattern]int{}
	for _, each := range all {
		if only != "" && (each.Pattern != only || len(found) > 0) {
			continue
		}
		patterns[each.Pattern]++
		synctest.Test(t, func(t *testing.T) {
			switch err := recording.Run(t.Context(), operator, each); {
			case errors.Is(err, perturb.ErrNotApplied):
				skipped[each.Pattern]++
			case err != nil:
				found[each.Pattern] = err.Error()
			}
		})
	}
	t.Logf("%d perturbations, of which were run: %v, not applied: %v", len(all), patterns, skipped)
	for pattern, n := range skipped {
		// In these stories, the next event of an object is always the operator's reaction to the withheld one, so no two events merge.
		if pattern != perturb.MergedEvent && (n > 1 || n == patterns[pattern]) {
			t.Errorf("%d of %d perturbations of pattern %q were not applied", n, patterns[pattern], pattern)
		}
	}
	return found
}

func record(t *testing.T, operator harness.Operator, from harness.Checkpoint, steps string) (recording *perturb.Recording, err error) {
	t.Helper()
	read, err := story.Parse("story.yaml", []byte("title: A ConfigMap is copied\nsteps:\n"+steps), story.Verbs())
	if err != nil {
		return nil, err
	}
	synctest.Test(t, func(t *testing.T) { recording, err = perturb.Record(t.Context(), operator, from, read) })
	return recording, err
}

// prepared returns a cluster in which the operator has all permissions.
func prepared(t *testing.T) (from harness.Checkpoint) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		client, err := kubernetes.NewForConfig(cluster.StepClientConfig(scenario.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "copier"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "copier"}},
		}
		if _, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := cluster.Settle(); err != nil {
			t.Fatal(err)
		}
		from = harness.Checkpoint{Cluster: cluster.Snapshot(), IsOperatorRunning: true}
	})
	return from
}

func TestAStoryWithoutWritesCannotBePerturbed(t *testing.T) {
	t.Parallel()
	_, err := record(t, underTest(t, none), prepared(t), "- wait: 1h\n")
	if !errors.Is(err, perturb.ErrNoWrites) || !strings.Contains(err.Error(), `recording "A ConfigMap is copied"`) {
		t.Errorf("got %v", err)
	}
}

func TestAStoryThatFailsIsNotRecorded(t *testing.T) {
	t.Parallel()
	_, err := record(t, underTest(t, none), prepared(t), editSource)
	if err == nil || !strings.Contains(err.Error(), "story.yaml:3: patch: ConfigMap/default/a does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestPerturbationsHaveUniqueNames(t *testing.T) {
	t.Parallel()
	recording, err := record(t, underTest(t, none), prepared(t), life)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, each := range recording.Perturbations() {
		names = append(names, each.String())
		if strings.ContainsAny(each.Name(), `/"'()[]{}*+?|^$\`) {
			t.Errorf("the name %s has a character with a meaning in -run", each.Name())
		}
	}
	content, err := recording.YAML(perturb.Perturbation{Step: 1, Pattern: perturb.MergedSteps})
	if _, parseErr := story.Parse("", content, story.Verbs()); err != nil || parseErr != nil || strings.Count(string(content), "\n- ") != 2 &&
		strings.Count(string(content), "\n  - ") != 2 {
		t.Errorf("the two merged steps are, with the errors %v and %v:\n%s", err, parseErr, content)
	}
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("%d perturbations have %d different names", len(names), len(unique))
	}
}

func TestAnOperatorThatEndsByItselfIsReportedEvenIfThePerturbationWasNotApplied(t *testing.T) {
	t.Parallel()
	recording, err := record(t, underTest(t, none), prepared(t), createSource+editSource)
	if err != nil {
		t.Fatal(err)
	}
	write, source := perturb.WriteID{Request: "no such write", Nth: 1}, scenario.Event{Namespace: namespace, Name: "a"}
	source.Resource.Resource = "configmaps"
	for _, each := range []perturb.Perturbation{
		{Step: 1, Pattern: perturb.RestoredSnapshot, Write: write},
		{Step: 1, Pattern: perturb.RestoredAfterRestart, Write: write},
		{Step: 1, Pattern: perturb.DelayedEvent, Event: source, Nth: 99},
		{Step: 1, Pattern: perturb.MergedEvent, Event: source, Nth: 99},
		{Step: 1, Pattern: perturb.MergedSteps},
	} {
		t.Run(string(each.Pattern), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := recording.Run(t.Context(), underTest(t, endsByItself), each)
				if !errors.Is(err, errEnded) || errors.Is(err, perturb.ErrNotApplied) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestAStoryThatCannotBeRecordedSaysWhy(t *testing.T) {
	t.Parallel()
	from := prepared(t)
	wrongUsers := underTest(t, none)
	wrongUsers.Users = []string{"system:serviceaccount:default:other"}
	for name, test := range map[string]struct {
		operator harness.Operator
		from     harness.Checkpoint
		steps    string
		want     []string
	}{
		"an expectation does not hold": {
			underTest(t, none), from, createSource + "  title: A user creates a\n  then: [{object: Secret/default/a, absent: true}]\n",
			[]string{`recording "A ConfigMap is copied": step "A user creates a": an expectation does not hold: story.yaml:5: Secret/default/a exists, but must be absent`},
		},
		"an expectation of a fault does not hold": {
			underTest(t, none), from, "- fail: {verb: update, code: 500}\n  then: [{object: ConfigMap/default/b}]\n" + createSource,
			[]string{`step "fail": an expectation does not hold: story.yaml:4: ConfigMap/default/b does not exist`},
		},
		"it ends with a fault": {
			underTest(t, none), from, createSource + "- fail: {verb: update, code: 500}\n",
			[]string{"story.yaml:4: the story ends with a fault, which no step uses; remove it, or add a step"},
		},
		"it continues another story": {
			underTest(t, none), from, createSource + "from: other.yaml\n",
			[]string{`story.yaml:4: from: the story continues other.yaml, and Checkpoint.Story is ""; play that story first`},
		},
		"it continues another story than the checkpoint": {
			underTest(t, none), harness.Checkpoint{Cluster: from.Cluster, Story: "a/other.yaml"}, createSource + "from: other.yaml\n",
			[]string{`Checkpoint.Story is "a/other.yaml"`},
		},
		"the users are wrong": {
			wrongUsers, from, createSource,
			[]string{`no request came from Operator.Users ["system:serviceaccount:default:other"]; correct it: requests came from ["` + operatorUser + `"]`},
		},
		"the operator does not run": {
			underTest(t, none), harness.Checkpoint{Cluster: from.Cluster}, createSource,
			[]string{"nor from any other user; check that the operator runs"},
		},
		"the operator has no permissions": {
			underTest(t, none), harness.Checkpoint{IsOperatorRunning: true}, createSource,
			[]string{perturb.ErrNoWrites.Error(), "RBAC forbids requests of the operator; create its roles before the story begins:\n" + operatorUser + `: list configmaps "": 403`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := record(t, test.operator, test.from, test.steps)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want an error with %q", err, want)
				}
			}
		})
	}
}

func TestAnOperatorWithoutARequiredFieldIsNotRecorded(t *testing.T) {
	t.Parallel()
	from := prepared(t)
	for want, change := range map[string]func(o *harness.Operator){
		"Operator.Open is nil": func(o *harness.Operator) { o.Open = nil },
		"Operator.Users is []; name the users of the operator's requests": func(o *harness.Operator) { o.Users = nil },
		"Operator.Interval is 0s; set it to":                              func(o *harness.Operator) { o.Interval = 0 },
	} {
		operator := underTest(t, none)
		change(&operator)
		if _, err := record(t, operator, from, createSource); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestAStoryIsRecordedFromTheCheckpointOfTheStoryThatItContinues(t *testing.T) {
	t.Parallel()
	from := prepared(t)
	from.Story = "other.yaml"
	if _, err := record(t, underTest(t, none), from, createSource+"from: other.yaml\n"); err != nil {
		t.Error(err)
	}
}
