package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openshift/platform-operators/test/steady"
)

const (
	// quietTime is the time for which the manager must write nothing before an installation counts as complete. The manager delays a status
	// in which only a message changed, but by less than quietTime.
	quietTime = 10 * time.Second
	// quietLimit is the maximum time to wait until the manager has written nothing for quietTime.
	quietLimit = 2 * time.Minute
)

// requestClasses are the groups of requests that the document reports for an installation. They do not include writes to the bundles'
// objects.
var requestClasses = []struct {
	name    string
	written []string // keys of steady.Requests.Written
	// before is the number of requests that commit c02a7af needed for ten operators.
	before int
}{
	{"PlatformOperator status writes", []string{"platformoperators/status"}, 66},
	{"PlatformOperatorManager status writes", []string{"platformoperatormanagers/status"}, 34},
	{"ClusterOperator status writes", []string{"clusteroperators/status"}, 29},
	{"Events", []string{"events"}, 88},
	{"access reviews", []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}, 114},
}

// requestsUntilQuiet waits until the manager has written nothing for quietTime, and returns the number of requests since the log was last
// read. It returns an error if the manager still writes after quietLimit.
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

// requestFigures returns a figure for each of requestClasses and one for their sum. Each figure is the maximum of all rounds, because later
// rounds reuse the access reviews of the first round.
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
