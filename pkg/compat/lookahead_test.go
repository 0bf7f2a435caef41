package compat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bundle returns an operator with this declaration ("none" for no declaration) and with candidates of the form "2.0.0 4.22", "2.0.0 4.22
// approve" or "2.0.0 4.22 blocked".
func bundle(version, most string, candidates ...string) Operator {
	operator := Operator{Name: "quay", Version: version, Max: raw(most)}
	for _, text := range candidates {
		words := append(strings.Fields(text), "")
		candidate := Candidate{Version: words[0], Max: raw(words[1])}
		switch words[2] {
		case "approve":
			candidate.Approve = words[0]
		case "blocked":
			candidate.Obstacle = "it is outside spec.package.version"
		default:
			candidate.Installable = true
		}
		operator.Candidates = append(operator.Candidates, candidate)
	}
	return operator
}

func raw(most string) []string {
	if most == "none" {
		return nil
	}
	return []string{fmt.Sprintf("%q", most)}
}

// TestNewLookAhead checks a part of promise CLU-G10. TestCLU_G10_… of the platformoperator controller checks the complete promise.
func TestNewLookAhead(t *testing.T) {
	for name, test := range map[string]struct {
		cluster    string
		bundles    []Operator
		now, after string
	}{
		"nothing is declared: two minor versions are as far as is looked":  {"4.20.0", []Operator{bundle("1.0.0", "none")}, "4.22", "4.22"},
		"what is declared beyond that is not told":                         {"4.20.0", []Operator{bundle("1.0.0", "4.30")}, "4.22", "4.22"},
		"the next one is permitted, and an update permits the one after":   {"4.20.0", []Operator{bundle("1.0.0", "4.21", "2.0.0 4.22")}, "4.21", "4.22"},
		"nothing is permitted, and an update permits one":                  {"4.20.0", []Operator{bundle("1.0.0", "4.20", "2.0.0 4.21")}, "4.20", "4.21"},
		"nothing is permitted, and of two updates the higher permits both": {"4.20.0", []Operator{bundle("1.0.0", "4.20", "2.0.0 4.21", "3.0.0 4.22")}, "4.20", "4.22"},
		"the operator is behind the cluster already":                       {"4.20.0", []Operator{bundle("1.0.0", "4.18")}, "4.20", "4.20"},
		"an update that needs an approval counts":                          {"4.20.0", []Operator{bundle("1.0.0", "4.20", "2.0.0 4.22 approve")}, "4.20", "4.22"},
		"an update that something else is in the way of does not":          {"4.20.0", []Operator{bundle("1.0.0", "4.20", "2.0.0 4.22 blocked")}, "4.20", "4.20"},
		"what is older is no update":                                       {"4.20.0", []Operator{bundle("1.0.0", "4.20", "0.9.0 4.22")}, "4.20", "4.20"},
		"what cannot be read permits nothing":                              {"4.20.0", []Operator{bundle("1.0.0", "garbage", "2.0.0 4.22")}, "4.20", "4.22"},
		"an update that declares nothing permits all":                      {"4.20.0", []Operator{bundle("1.0.0", "4.20", "2.0.0 none")}, "4.20", "4.22"},
		"between two versions the stricter counts":                         {"4.20.0", []Operator{bundle("1.0.0", "4.22"), bundle("2.0.0", "4.21")}, "4.21", "4.21"},
		"4.23 is 5.0":                 {"4.22.0", []Operator{bundle("1.0.0", "5.0", "2.0.0 5.1")}, "4.23", "5.1"},
		"from 4.23 on it goes to 5.1": {"4.23.0", []Operator{bundle("1.0.0", "5.1", "2.0.0 5.2")}, "5.1", "5.2"},
		"a development build":         {"0.0.1-snapshot", []Operator{bundle("1.0.0", "0.1", "2.0.0 4.20")}, "0.1", "0.2"},
		"a cluster's version as high as numbers go stands": {"4.18446744073709551615.0", []Operator{bundle("1.0.0", "4.20")}, "4.18446744073709551615", "4.18446744073709551615"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, err := ParseClusterVersion(test.cluster)
			if err != nil {
				t.Fatal(err)
			}
			reach := NewLookAhead(cluster, test.bundles)
			got := []string{reach.Operator, cluster.Beyond(reach.Now).String(), cluster.Beyond(reach.After).String()}
			if diff := cmp.Diff([]string{"quay", test.now, test.after}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessageForTwoMinorVersions(t *testing.T) {
	other := Operator{Name: "alpha", Version: "1.0.0"}
	for name, test := range map[string]struct {
		operators []Operator
		want      string
	}{
		"all is permitted": {[]Operator{other}, "platform-operators: 1 PlatformOperator permits OpenShift 4.21; it declares no olm.maxOpenShiftVersion."},
		"the one after the next will be blocked, and what to do about it": {
			[]Operator{bundle("3.14.0", "4.21", "3.16.0 4.22"), other},
			"platform-operators: 2 PlatformOperators permit OpenShift 4.21; 1 of them declares no olm.maxOpenShiftVersion.\n" +
				"After that, 1 PlatformOperator will block OpenShift 4.22:\n" +
				"- quay 3.14.0 allows at most 4.21: update to >=3.16.0 (allows 4.22).",
		},
		"the next is blocked, and there is an update that permits both": {
			[]Operator{bundle("3.14.0", "4.20", "3.15.0 4.21", "3.16.0 4.22"), other},
			"platform-operators: 1 PlatformOperator blocks OpenShift 4.21:\n" +
				"- quay 3.14.0 allows at most 4.20: update to >=3.15.0 (allows 4.21).\n" +
				"After the available updates, the operators permit OpenShift up to 4.22.\n" +
				"Next step for quay: oc describe platformoperator quay",
		},
		"the next is blocked, and no update permits more than that": {
			[]Operator{bundle("3.14.0", "4.20", "3.15.0 4.21"), other},
			"platform-operators: 1 PlatformOperator blocks OpenShift 4.21:\n" +
				"- quay 3.14.0 allows at most 4.20: update to >=3.15.0 (allows 4.21).\n" +
				"Next step for quay: oc describe platformoperator quay",
		},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.3", test.operators, noon)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, verdict.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesWithNotesAreLimited(t *testing.T) {
	long := strings.Repeat("ü", 400)
	for _, most := range []string{"4.20", "4.21", "garbage"} {
		for _, n := range []int{1, 7, 60} {
			for _, acknowledged := range []bool{true, false} {
				var operators []Operator
				for i := range n {
					operator := bundle("1.0.0", most, "2.0.0 4.22")
					operator.Name, operator.Package = fmt.Sprintf("%02d%s", i, long), long
					if acknowledged && i%2 == 0 {
						operator.Acknowledged = &Override{Version: "4.21", Reason: long}
					}
					operators = append(operators, operator)
				}
				verdict, err := Evaluate("4.20.3", operators, noon)
				if err != nil {
					t.Fatal(err)
				}
				for _, each := range []Verdict{verdict, verdict.WithNotes(long, long), CannotTell(fmt.Errorf("%s", long)).WithNotes(long, long, long, long, long)} {
					if shown := onClusterOperator(each); len(shown) > MaxMessage {
						t.Errorf("%d that go to %s, acknowledged: %t: %d bytes", n, most, acknowledged, len(shown))
					}
				}
				noted := verdict.WithNotes("first", "second").Message
				before, _, _ := strings.Cut(noted, "\nNext step")
				if before = strings.TrimSuffix(before, pluginLine); !strings.HasSuffix(before, "\nfirst\nsecond") {
					t.Errorf("%d that go to %s, acknowledged: %t: the notes are not its end: %s", n, most, acknowledged, noted)
				}
			}
		}
	}
}
