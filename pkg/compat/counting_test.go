package compat

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

var anyTime = metav1.NewTime(time.Unix(1, 0))

// revisionsOf returns revisions from texts of the form "STATE VERSION MAX PRESENCE". PRESENCE "-" means a revision that an earlier manager
// wrote.
func revisionsOf(texts ...string) (revisions []corev1alpha2.Revision) {
	for i, text := range texts {
		field := strings.Fields(text)
		each := corev1alpha2.Revision{Number: int64(i + 1), State: corev1alpha2.RevisionState(field[0]), Version: field[1], StartedTime: &anyTime,
			Bundle: "op.v" + field[1], MaxOpenShiftVersions: []string{field[2]}, Presence: corev1alpha2.Presence(field[3])}
		if field[3] == "-" {
			each.Presence, each.Bundle, each.MaxOpenShiftVersions = "", "", nil
		}
		revisions = append(revisions, each)
	}
	return revisions
}

// TestHRD_G1_CountedBundles checks which bundles the gate considers, in every state of a PlatformOperator and its BundleDeployment.
func TestHRD_G1_CountedBundles(t *testing.T) {
	const ours, theirs = corev1alpha2.Finalizer, "example.com/backup"
	const poOurs = platformv1alpha1.Finalizer
	record := func(version, most string) *platformv1alpha1.InstalledBundle {
		if version == "" {
			return nil
		}
		return &platformv1alpha1.InstalledBundle{Bundle: "op.v" + version, Version: version, MaxOpenShiftVersion: most}
	}
	for name, c := range map[string]struct {
		installed, hop       string // versions; empty means none. Their maximum is 4.3 with the minor version behind it
		revisions            []string
		alone, none          bool // without a PlatformOperator; without a BundleDeployment
		deleted, downDeleted string
		want                 string
	}{
		"nothing is written yet":                          {hop: "1.0.0", revisions: []string{"RollingOut 1.0.0 4.21 Absent"}},
		"there is no BundleDeployment yet":                {none: true},
		"its content is not there":                        {hop: "1.0.0"},
		"a first installation that has begun":             {hop: "1.0.0", revisions: []string{"RollingOut 1.0.0 4.21 Present"}, want: "1.0.0 recorded"},
		"the same of an earlier manager":                  {hop: "1.0.0", revisions: []string{"RollingOut 1.0.0 4.21 -"}, want: "1.0.0 recorded"},
		"a first installation that is given up, and left": {hop: "1.1.0", revisions: []string{"Failed 1.0.0 4.21 Present", "RollingOut 1.1.0 4.21 Absent"}, want: "1.0.0 own"},
		"the same, taken away":                            {hop: "1.1.0", revisions: []string{"Failed 1.0.0 4.21 Absent", "RollingOut 1.1.0 4.21 Present"}, want: "1.1.0 recorded"},
		"installed":                                       {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present"}, want: "1.0.0 recorded"},
		"installed, and earlier ones taken away":          {installed: "1.1.0", revisions: []string{"Archived 1.0.0 4.21 Absent", "Active 1.1.0 4.21 Present"}, want: "1.1.0 recorded"},
		"a hop that has written nothing":                  {installed: "1.0.0", hop: "1.1.0", revisions: []string{"Active 1.0.0 4.21 Present", "RollingOut 1.1.0 4.20 Absent"}, want: "1.0.0 recorded"},
		"a hop under way, or held":                        {installed: "1.0.0", hop: "1.1.0", revisions: []string{"Active 1.0.0 4.21 Present", "RollingOut 1.1.0 4.20 Present"}, want: "1.0.0 recorded, 1.1.0 recorded"},
		"one that was held and left for another":          {installed: "1.0.0", hop: "1.2.0", revisions: []string{"Active 1.0.0 4.21 Present", "Failed 1.1.0 4.20 Present", "RollingOut 1.2.0 4.22 Present"}, want: "1.0.0 recorded, 1.1.0 own, 1.2.0 recorded"},
		"one that is being rolled back":                   {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present", "Failed 1.1.0 4.20 Present"}, want: "1.0.0 recorded, 1.1.0 own"},
		"one that was rolled back":                        {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present", "Failed 1.1.0 4.20 Absent"}, want: "1.0.0 recorded"},
		"a hop done, what it left being pruned":           {installed: "1.1.0", revisions: []string{"Archived 1.0.0 4.21 Present", "Active 1.1.0 4.22 Present"}, want: "1.1.0 recorded, 1.0.0 own"},
		"its BundleDeployment was deleted by hand":        {installed: "1.0.0", none: true, want: "1.0.0 recorded"},
		"being removed":                                   {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present"}, deleted: poOurs, downDeleted: ours, want: "1.0.0 recorded"},
		"being removed, others hold the objects too":      {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present"}, deleted: poOurs + " " + theirs, downDeleted: ours + " " + theirs, want: "1.0.0 recorded"},
		"removed, others hold its BundleDeployment":       {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present"}, deleted: poOurs, downDeleted: theirs},
		"removed, its BundleDeployment gone":              {installed: "1.0.0", none: true, deleted: poOurs},
		"removed, others hold it":                         {installed: "1.0.0", none: true, deleted: theirs},
		"let go of by hand, its objects still there":      {installed: "1.0.0", revisions: []string{"Active 1.0.0 4.21 Present"}, deleted: theirs, downDeleted: ours, want: "1.0.0 own"},
		"removed before it was complete":                  {revisions: []string{"RollingOut 1.0.0 4.21 Present"}, deleted: poOurs, downDeleted: ours, want: "1.0.0 own"},
		"removed before it wrote anything":                {revisions: []string{"RollingOut 1.0.0 4.21 Absent"}, deleted: poOurs, downDeleted: ours},
		"made by hand":                                    {alone: true, revisions: []string{"Active 1.0.0 4.21 Present"}, want: "1.0.0 own"},
		"made by hand, begun":                             {alone: true, revisions: []string{"RollingOut 1.0.0 4.21 Present"}, want: "1.0.0 own"},
		"made by hand, nothing written":                   {alone: true, revisions: []string{"RollingOut 1.0.0 4.21 Absent"}},
		"made by hand, being removed":                     {alone: true, revisions: []string{"Active 1.0.0 4.21 Present"}, downDeleted: ours, want: "1.0.0 own"},
		"made by hand, removed, held by others":           {alone: true, revisions: []string{"Active 1.0.0 4.21 Present"}, downDeleted: theirs},
	} {
		t.Run(name, func(t *testing.T) {
			var operator *platformv1alpha1.PlatformOperator
			if !c.alone {
				operator = &platformv1alpha1.PlatformOperator{}
				operator.Status.Installed = record(c.installed, "4.30")
				if c.hop != "" {
					operator.Status.Target = &platformv1alpha1.Target{Version: c.hop, Hop: record(c.hop, "4.30")}
				}
				if c.deleted != "" {
					operator.DeletionTimestamp, operator.Finalizers = &anyTime, strings.Fields(c.deleted)
				}
			}
			var deployment *corev1alpha2.BundleDeployment
			if !c.none {
				deployment = &corev1alpha2.BundleDeployment{}
				deployment.Finalizers = []string{ours}
				deployment.Status.Revisions = revisionsOf(c.revisions...)
				if c.downDeleted != "" {
					deployment.DeletionTimestamp, deployment.Finalizers = &anyTime, strings.Fields(c.downDeleted)
				}
			}
			var got []string
			for _, each := range CountedBundles(operator, deployment) {
				whose := "own"
				if cmp.Equal(each.Max, []string{`"4.30"`}) {
					whose = "recorded"
				}
				got = append(got, each.Version+" "+whose)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
