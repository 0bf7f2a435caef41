package compat

import "fmt"

// tally holds the number of operators for each kind of object that installs them.
type tally struct{ operators, deployments int }

func (t *tally) add(kind string) {
	if kind == KindBundleDeployment {
		t.deployments++
		return
	}
	t.operators++
}

func (t tally) total() int { return t.operators + t.deployments }

func (t tally) without(other tally) tally {
	return tally{t.operators - other.operators, t.deployments - other.deployments}
}

// String returns the numbers with their nouns, for example "2 PlatformOperators and 1 BundleDeployment".
func (t tally) String() string {
	operators, deployments := countOf(t.operators, KindPlatformOperator), countOf(t.deployments, KindBundleDeployment)
	switch {
	case t.deployments == 0:
		return operators
	case t.operators == 0:
		return deployments
	}
	return operators + " and " + deployments
}

// with returns the numbers with a verb, for example "1 PlatformOperator blocks".
func (t tally) with(singular, plural string) string {
	return t.String() + " " + agree(t.total(), singular, plural)
}

func countOf(n int, kind string) string { return fmt.Sprintf("%d %s", n, agree(n, kind, kind+"s")) }

// agree returns the form of a word that agrees with a number.
func agree(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

// tallyOf returns the number of operators in a list that is sorted by kind and name. An operator between two versions is in the list twice,
// but is counted once.
func tallyOf(operators []Operator) (t tally) {
	for i, each := range operators {
		if i == 0 || each.Kind != operators[i-1].Kind || each.Name != operators[i-1].Name {
			t.add(each.Kind)
		}
	}
	return t
}

// distinct returns the number of operators among blockers, which are sorted by kind and name. An operator between two versions may have two
// blockers, but is counted once.
func distinct(blockers []Blocker) (t tally) {
	for i, blocker := range blockers {
		if i == 0 || blocker.Kind != blockers[i-1].Kind || blocker.Operator != blockers[i-1].Operator {
			t.add(blocker.Kind)
		}
	}
	return t
}
