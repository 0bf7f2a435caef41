package compat

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
)

// declaring returns one operator for each maximum. Their names are a, b, c and so on.
func declaring(maxima ...string) []Operator {
	var operators []Operator
	for i, value := range maxima {
		operators = append(operators, Operator{Name: string(rune('a' + i)), Version: "1.0.0", Max: []string{fmt.Sprintf("%q", value)}})
	}
	return operators
}

// Promise CLU-G2: For each listed pair of a cluster version and a maximum, the gate decides as OLM v0 and OLM v1 do, with 4.23 and 5.0 as
// one release. Without a cluster version it blocks.
func TestCLU_G2_DecisionsAreThoseOfTheExistingGates(t *testing.T) {
	tests := map[string]struct {
		cluster string
		maxima  []string
		// blockers are the operators that block, each with its displayed maximum.
		blockers []string
	}{
		"v0 compatible":                          {"1.0.0", []string{"1.1.0", "1.1.0+build", "2.0.0"}, nil},
		"v0 incompatible":                        {"1.0.0", []string{"1.0.0", "1.0.0+build", "0.1.0"}, []string{"a 1.0", "b 1.0", "c 0.1"}},
		"v0 incompatible, pre-releases":          {"1.0.0", []string{"1.1.0-pre", "1.1.0-pre+build"}, []string{"a unreadable", "b unreadable"}},
		"v0 mixed":                               {"1.0.0", []string{"1.1.0", "1.0.0", "1.0"}, []string{"b 1.0", "c 1.0"}},
		"v0 mixed with a bad version":            {"1.0.0", []string{"1.1.0", "1.0.0", "bad_version"}, []string{"b 1.0", "c unreadable"}},
		"v0 patch level does not count":          {"1.0.1", []string{"1.1"}, nil},
		"v0 pre-release does not count":          {"1.1.0-pre", []string{"1.1.0"}, []string{"a 1.1"}},
		"v1 maximum above the cluster":           {"4.17.0", []string{"4.18"}, nil},
		"v1 maximum equal to the cluster":        {"4.18.0", []string{"4.18"}, []string{"a 4.18"}},
		"v1 maximum below the cluster":           {"4.19.0", []string{"4.18"}, []string{"a 4.18"}},
		"4.22, whose next is 4.23 or 5.0":        {"4.22.0", []string{"4.22", "4.23", "5.0", "5.1"}, []string{"a 4.22"}},
		"4.23, which is 5.0":                     {"4.23.0", []string{"4.23", "5.0", "5.1"}, []string{"a 4.23", "b 5.0"}},
		"5.0, which is 4.23":                     {"5.0.0", []string{"4.23", "5.0", "5.1"}, []string{"a 4.23", "b 5.0"}},
		"5.1":                                    {"5.1.0", []string{"4.23", "5.0", "5.1"}, []string{"a 4.23", "b 5.0", "c 5.1"}},
		"development build, whose next is 0.1":   {"0.0.1-snapshot", []string{"4.8", "0.1"}, nil},
		"development build and a maximum of 0.0": {"0.0.1-snapshot", []string{"0.0"}, []string{"a 0.0"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate(test.cluster, declaring(test.maxima...), noon)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range verdict.Blockers {
				shown := unread
				if b.Fault == nil {
					shown = b.Max.String()
				}
				got = append(got, b.Operator+" "+shown)
			}
			if diff := cmp.Diff(test.blockers, got); diff != "" {
				t.Errorf("blockers (-want +got):\n%s", diff)
			}
			wantReason := ReasonAsExpected
			if len(test.blockers) > 0 {
				wantReason = ReasonIncompatible
			}
			if verdict.Reason != wantReason || verdict.Upgradeable != (test.blockers == nil) {
				t.Errorf("verdict is %v %s, want %s", verdict.Upgradeable, verdict.Reason, wantReason)
			}
		})
	}
	t.Run("v0 empty cluster version", func(t *testing.T) {
		verdict, err := Evaluate("", declaring("4.18"), noon)
		if err == nil || verdict.Upgradeable || verdict.Reason != ReasonErrorChecking {
			t.Errorf("got %+v, %v", verdict, err)
		}
	})
}

func TestUnreadableInputBlocks(t *testing.T) {
	tests := map[string]struct {
		raw  []string
		want string
	}{
		"unreadable value": {[]string{`"garbage"`}, `olm.maxOpenShiftVersion "garbage" cannot be read`},
		"two properties":   {[]string{`"4.30"`, `"4.31"`}, `olm.maxOpenShiftVersion is declared 2 times ("4.30", "4.31")`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.1", []Operator{{Name: "quay", Version: "3.1.0", Max: test.raw}}, noon)
			if err != nil {
				t.Fatal(err)
			}
			if verdict.Upgradeable || verdict.Reason != ReasonIncompatible || !strings.Contains(verdict.Message, "- quay 3.1.0 "+test.want) {
				t.Errorf("got %v %s:\n%s", verdict.Upgradeable, verdict.Reason, verdict.Message)
			}
		})
	}
	t.Run("installed set cannot be listed", func(t *testing.T) {
		verdict := CannotTell(errors.New("listing platformoperators: connection refused"))
		want := "platform-operators: updates to the next minor version are blocked, because the limits of the installed operators are unknown: listing platformoperators: connection refused."
		if verdict.Upgradeable || verdict.Reason != ReasonErrorChecking || verdict.Message != want {
			t.Errorf("got %+v", verdict)
		}
	})
}

func TestOperatorWithoutDeclarationIsCountedAndDoesNotBlock(t *testing.T) {
	operators := append(declaring("4.30"), Operator{Name: "x", Version: "1.0.0"}, Operator{Name: "y", Version: "1.0.0"})
	operators = append(operators, Operator{Name: "y", Version: "1.1.0"}) // between two versions: one operator
	verdict, err := Evaluate("4.20.1", operators, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := "platform-operators: 3 PlatformOperators permit OpenShift 4.21; 2 of them declare no olm.maxOpenShiftVersion."
	if !verdict.Upgradeable || verdict.Undeclared != 2 || verdict.Message != want {
		t.Errorf("got %+v", verdict)
	}
}

func TestRemedy(t *testing.T) {
	const (
		patch    = "\nNext step for quay: oc patch platformoperator quay --type=merge -p "
		describe = "\nNext step for quay: oc describe platformoperator quay"
		later    = "\nAfter the available updates, the operators permit OpenShift up to 4.22."
		override = patch + `'{"spec":{"compatibilityOverrides":[{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.21","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}]}}'`
		none     = "no version in the catalogs allows 4.21.\nWhere no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides." + override
	)
	permits, forbids := []string{`"4.21"`}, []string{`"4.20"`}
	tests := map[string]struct {
		candidates []Candidate
		unread     string
		paused     bool
		want       string
	}{
		"the lowest version that permits it": {
			candidates: []Candidate{{Version: "1.10.0", Max: permits, Installable: true}, {Version: "1.9.0", Max: permits, Installable: true}, {Version: "1.8.0", Max: forbids, Installable: true}},
			want:       "update to >=1.9.0 (allows 4.21)." + describe,
		},
		"a version that declares nothing permits it": {
			candidates: []Candidate{{Version: "1.9.0", Installable: true}},
			want:       "update to >=1.9.0 (allows 4.21)." + later + describe,
		},
		"an installable version before a lower one that is not": {
			candidates: []Candidate{{Version: "1.8.0", Max: permits, Obstacle: `x`}, {Version: "1.9.0", Max: permits, Installable: true}},
			want:       "update to >=1.9.0 (allows 4.21)." + describe,
		},
		"an installable version of a paused operator": {
			candidates: []Candidate{{Version: "1.9.0", Max: permits, Installable: true}}, paused: true,
			want: "update to >=1.9.0 (allows 4.21); spec.paused is set." + patch + `'{"spec":{"paused":false}}'`,
		},
		"a version that waits for approval before a lower one with another obstacle": {
			candidates: []Candidate{{Version: "1.8.0", Max: permits, Obstacle: "x"}, {Version: "1.9.0", Max: permits, Approve: "1.9.0 (release 2)", Obstacle: "it waits for approval"}},
			want:       `set spec.upgrades.approvedVersion to "1.9.0 (release 2)" (allows 4.21).` + patch + `'{"spec":{"upgrades":{"approvedVersion":"1.9.0 (release 2)"}}}'`,
		},
		"an installable version before one that waits for approval": {
			candidates: []Candidate{{Version: "1.8.0", Max: permits, Approve: "1.8.0", Obstacle: "x"}, {Version: "1.9.0", Max: permits, Installable: true}},
			want:       "update to >=1.9.0 (allows 4.21)." + describe,
		},
		"a version that the spec excludes": {
			candidates: []Candidate{{Version: "2.0.0", Max: permits, Obstacle: `it is outside spec.package.version "1.x"`, Change: &Change{Range: "1.x || >=1.7.0 <=2.0.0"}}},
			want:       `update to >=2.0.0 (allows 4.21); it is outside spec.package.version "1.x".` + patch + `'{"spec":{"package":{"version":"1.x || >=1.7.0 <=2.0.0"}}}'`,
		},
		"a version in another channel": {
			candidates: []Candidate{{Version: "2.0.0", Max: permits, Obstacle: "it is in channel it's", Change: &Change{Channels: []string{"stable", "it's"}}}},
			want:       "update to >=2.0.0 (allows 4.21); it is in channel it's." + patch + `'{"spec":{"package":{"channels":["stable","it'\''s"]}}}'`,
		},
		"a version that no change of the spec permits": {
			candidates: []Candidate{{Version: "2.0.0", Max: permits, Obstacle: "it requires package x"}},
			want:       "update to >=2.0.0 (allows 4.21); it requires package x." + describe,
		},
		"no version is above the installed one": {
			candidates: []Candidate{{Version: "1.6.0", Max: permits, Installable: true}, {Version: "1.7.0", Max: permits, Installable: true}},
			want:       none,
		},
		"candidates that cannot be read do not count": {
			candidates: []Candidate{{Version: "1.9.0", Max: []string{`"x"`}, Installable: true}, {Version: "latest", Max: permits, Installable: true}},
			want:       none,
		},
		"a catalog is down and the others have nothing": {
			unread: "catalog ClusterCatalog/x could not be read",
			want:   "no version that allows 4.21 is known: catalog ClusterCatalog/x could not be read." + describe,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			operator := Operator{Name: "quay", Package: "project-quay", Version: "1.7.0", Max: forbids, Candidates: test.candidates, IncompleteReason: test.unread, Paused: test.paused}
			verdict, err := Evaluate("4.20.1", []Operator{operator}, noon)
			if err != nil {
				t.Fatal(err)
			}
			want := "platform-operators: 1 PlatformOperator blocks OpenShift 4.21:\n" +
				"- quay (package project-quay) 1.7.0 allows at most 4.20: " + test.want
			if diff := cmp.Diff(want, verdict.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// laterLine, pluginLine and nextStepLine are the last lines of the message of blockers. The message of one blocker has no pluginLine.
const (
	laterLine    = "\nAfter the available updates, the operators permit OpenShift up to 4.22."
	pluginLine   = "\nWith the plugin, \"oc platform explain upgrade\" shows the next step for each operator."
	nextStepLine = "\nNext step for operator-00: oc describe platformoperator operator-00"
)

func blockers(n int) []Operator {
	var operators []Operator
	for i := range n {
		operators = append(operators, Operator{
			Name: fmt.Sprintf("operator-%02d", i), Version: fmt.Sprintf("1.%d.0", i), Max: []string{`"4.20"`},
			Candidates: []Candidate{{Version: "2.0.1", Installable: true}, {Version: "2.0.0", Installable: i%2 == 0, Obstacle: "it is in another channel"}},
		})
	}
	return operators
}

// onClusterOperator formats the message as library-go's status controller does: each line has a prefix of at most LinePrefix bytes.
func onClusterOperator(verdict Verdict) string {
	prefix := strings.Repeat("C", LinePrefix-len(": ")) + ": "
	return prefix + strings.ReplaceAll(verdict.Message, "\n", "\n"+prefix)
}

func TestMessageIsStableLimitedAndCountsTheRest(t *testing.T) {
	for n, shown := range map[int]int{1: 1, 5: 5, 60: 8} {
		t.Run(fmt.Sprintf("%d blockers", n), func(t *testing.T) {
			operators := blockers(n)
			first, err := Evaluate("4.20.1", operators, noon)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(50) {
				random := rand.New(rand.NewPCG(seed, 1))
				random.Shuffle(len(operators), func(i, j int) { operators[i], operators[j] = operators[j], operators[i] })
				for _, o := range operators {
					random.Shuffle(len(o.Candidates), func(i, j int) { o.Candidates[i], o.Candidates[j] = o.Candidates[j], o.Candidates[i] })
				}
				again, err := Evaluate("4.20.1", operators, noon)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(first.Message, again.Message); diff != "" {
					t.Fatalf("seed %d changes the message:\n%s", seed, diff)
				}
			}
			if message := onClusterOperator(first); len(message) > MaxMessage {
				t.Errorf("the ClusterOperator's message has %d bytes:\n%s", len(message), message)
			}
			text, hasNextStep := strings.CutSuffix(first.Message, nextStepLine)
			text, hasPlugin := strings.CutSuffix(text, pluginLine)
			if !hasNextStep || hasPlugin != (n > 1) {
				t.Errorf("the last lines are wrong: %s", first.Message)
			}
			lines := strings.Split(strings.TrimSuffix(text, laterLine), "\n")[1:]
			if n > shown {
				if want := fmt.Sprintf("and %d more", n-shown); lines[len(lines)-1] != want {
					t.Errorf("last line is %q, want %q", lines[len(lines)-1], want)
				}
				lines = lines[:len(lines)-1]
			}
			if len(lines) != shown || len(first.Blockers) != n {
				t.Errorf("%d lines and %d blockers, want %d and %d", len(lines), len(first.Blockers), shown, n)
			}
			for i, line := range lines {
				if want := fmt.Sprintf("- operator-%02d 1.%d.0 allows at most 4.20: update to >=2.0.", i, i); !strings.HasPrefix(line, want) {
					t.Errorf("line %q does not begin with %q", line, want)
				}
			}
		})
	}
}

func TestMessageIsLimitedForAnyInput(t *testing.T) {
	property := func(name, pkg, version, raw, candidate, why, unread string, copies uint8) bool {
		operator := Operator{
			Name: strings.Repeat(name, 20), Package: strings.Repeat(pkg, 20), Version: strings.Repeat(version, 20), Max: []string{raw},
			Candidates: []Candidate{{Version: "9.9.9-" + candidate, Obstacle: strings.Repeat(why, 20)}}, IncompleteReason: strings.Repeat(unread, 20),
		}
		var operators []Operator
		for range int(copies%8) + 1 {
			operators = append(operators, operator)
		}
		verdict, err := Evaluate("4.20.1", operators, noon)
		lines := strings.Split(verdict.Message, "\n")
		return err == nil && len(onClusterOperator(verdict)) <= MaxMessage && len(lines) >= 2 && strings.HasPrefix(lines[1], "- ")
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}
