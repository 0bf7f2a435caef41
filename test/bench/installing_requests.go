package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openshift/platform-operators/test/steady"
)

const (
	// quietTime is how long the manager sends no request before an installation counts as complete. It is longer than the
	// manager delays a status in which only a message changed.
	quietTime = 10 * time.Second
	// quietLimit limits the time until then.
	quietLimit = 2 * time.Minute
)

// requestClasses are the requests of an installation other than those for the bundles' objects.
var requestClasses = []struct {
	name    string
	written []string // as in steady.Requests.Written
	// before is the number of commit c02a7af for ten operators.
	before int
}{
	{"PlatformOperator status writes", []string{"platformoperators/status"}, 66},
	{"PlatformOperatorManager status writes", []string{"platformoperatormanagers/status"}, 34},
	{"ClusterOperator status writes", []string{"clusteroperators/status"}, 29},
	{"Events", []string{"events"}, 88},
	{"access reviews", []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}, 114},
}

// requestsUntilQuiet counts the manager's requests since the last reading of the log, until there are none for quietTime.
func requestsUntilQuiet(ctx context.Context, log *steady.Log) (steady.Requests, error) {
	var total steady.Requests
	for deadline := time.Now().Add(quietLimit); ; {
		if err := sleep(ctx, quietTime); err != nil {
			return steady.Requests{}, err
		}
		more, err := log.Read(steady.ManagersUser)
		if err != nil {
			return steady.Requests{}, err
		}
		total.Add(more)
		if more.Writes == 0 {
			return total, nil
		}
		if time.Now().After(deadline) {
			return steady.Requests{}, fmt.Errorf("the manager still writes %s after an installation: %s", quietLimit, more)
		}
	}
}

// requestFigures returns a figure for each class and for their sum, of the round with the most requests. Later rounds reuse the
// access reviews of the first.
func requestFigures(rounds []steady.Requests) []figure {
	var figures []figure
	sums, before := make([]float64, len(rounds)), 0
	for _, class := range requestClasses {
		counts := make([]float64, len(rounds))
		for i, round := range rounds {
			for _, resource := range class.written {
				counts[i] += float64(round.Written[resource])
			}
			sums[i] += counts[i]
		}
		before += class.before
		figures = append(figures, requestFigure(class.name, class.before, counts))
	}
	return append(figures, requestFigure("sum of these", before, sums))
}

func requestFigure(name string, before int, counts []float64) figure {
	return figure{name: fmt.Sprintf("%d operators, %s (c02a7af: %d)", operatorsPerRound, name, before), unit: count, ours: slices.Max(counts), n: len(counts)}
}
