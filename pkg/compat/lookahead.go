package compat

// Horizon is how many minor versions beyond the cluster's are looked at: as far as an update between two extended-support
// releases goes. Nobody can tell of what comes later, where nothing is declared least of all.
const Horizon = 2

// Reach is how many minor versions beyond the cluster's one operator permits, from 0 to Horizon.
type Reach struct {
	// Kind and Operator are as in Operator.
	Kind, Operator string
	// Now is with what is installed, After with updates that can be made as things are, or need nothing but an approval.
	Now, After int
	// Unsearched says that After is not known yet.
	Unsearched bool
}

// LookAhead says how far one operator lets the cluster go. Its bundles are the one that is installed and, during a hop, the one
// that is being moved to: the stricter counts. Acknowledged risks do not: they are no permission of the operator's.
func LookAhead(cluster Minor, bundles []Operator) Reach {
	reach := Reach{Now: Horizon, After: Horizon}
	for _, bundle := range bundles {
		now := permitted(cluster, bundle.Max)
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

// permitted is how many minor versions beyond the cluster's these declarations permit; what cannot be read permits none.
func permitted(cluster Minor, raw []string) (n int) {
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

// lookAheadAll does it for every operator, in the order of their kinds and names, and says how far the updates of all would let the cluster go.
func lookAheadAll(cluster Minor, operators []Operator) (all []Reach, after int) {
	after = Horizon
	for first := 0; first < len(operators); {
		next := first + 1
		for next < len(operators) && operators[next].Kind == operators[first].Kind && operators[next].Name == operators[first].Name {
			next++
		}
		reach := LookAhead(cluster, operators[first:next])
		all, after = append(all, reach), min(after, reach.After)
		first = next
	}
	return all, after
}
