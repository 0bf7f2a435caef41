package compat

// Horizon is the maximum number of minor versions after the cluster's that are evaluated. An update between two extended-support releases
// needs two. Later versions cannot be predicted, least of all for operators without a declaration.
const Horizon = 2

// LookAhead gives the number of minor versions after the cluster's that one operator permits, from 0 to Horizon.
type LookAhead struct {
	// Kind and Operator are Operator.Kind and Operator.Name of the operator.
	Kind, Operator string
	// Now is the number of minor versions that the installed bundle permits. After is that number once all updates are installed that can
	// be installed now or only need an approval.
	Now, After int
	// Unsearched means that the candidates are not known yet, so that After may be too low.
	Unsearched bool
}

// NewLookAhead returns the LookAhead for one operator. Its bundles are the installed one and, during an upgrade, the target; the stricter
// one determines the result. Acknowledged risks are ignored, because the operator's developers have not permitted the version.
func NewLookAhead(cluster Minor, bundles []Operator) LookAhead {
	reach := LookAhead{Now: Horizon, After: Horizon}
	for _, bundle := range bundles {
		now := permittedMinors(cluster, bundle.Max)
		after := now
		for n := Horizon; n > now; n-- {
			if lowest(bundle, cluster.Beyond(n), func(c Candidate) bool { return c.Installable || c.Approve != "" }) != nil {
				after = n
				break
			}
		}
		reach.Kind, reach.Operator, reach.Unsearched = bundle.Kind, bundle.Name, reach.Unsearched || bundle.Unsearched
		reach.Now, reach.After = min(reach.Now, now), min(reach.After, after)
	}
	return reach
}

// permittedMinors returns the number of minor versions after the cluster's that a declaration permits; an unreadable one permits none.
func permittedMinors(cluster Minor, raw []string) (n int) {
	most, err := ReadMax(raw)
	switch {
	case err != nil:
		return 0
	case most == nil:
		return Horizon
	}
	for n < Horizon && most.Permits(cluster.Beyond(n+1)) {
		n++
	}
	return n
}

// lookAheadAll returns the LookAhead for every operator, sorted by kind and name. after is the number of minor versions that all operators
// permit after their updates.
func lookAheadAll(cluster Minor, operators []Operator) (all []LookAhead, after int) {
	after = Horizon
	for first := 0; first < len(operators); {
		next := first + 1
		for next < len(operators) && operators[next].Kind == operators[first].Kind && operators[next].Name == operators[first].Name {
			next++
		}
		reach := NewLookAhead(cluster, operators[first:next])
		all, after = append(all, reach), min(after, reach.After)
		first = next
	}
	return all, after
}
