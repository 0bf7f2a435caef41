package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/steady"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// operatorsPerRound is how many operators are installed at once.
	operatorsPerRound = 10
	sampleVersion     = "1.0.0"
	// roundLimit is how long one round of installing may take.
	roundLimit = 2 * time.Minute
)

// installs is what the rounds of installing took, and what the manager held before the first and after each one.
type installs struct {
	ours, plain []float64 // seconds
	memory      []residentMemory
	requests    []steady.Requests // of the manager, in each round
	objects     int               // of one round
}

// measureInstall starts a local cluster with the manager and installs operators in rounds, each time other ones, so that
// nothing has to be removed in between: once by ten PlatformOperators, once by a plain loop that applies the same objects.
func measureInstall(ctx context.Context, dir string, rounds int, say func(format string, args ...any)) (p part, err error) {
	var offered []samples.Operator
	for round := range rounds {
		offered = append(offered, sampleOperators("managed", round)...)
	}
	env, err := environment.Start(ctx, environment.Options{
		Dir: filepath.Join(dir, "environment"), Log: os.Stderr, OpenShiftVersion: story.ClusterVersion, Samples: offered, AuditLog: true,
	})
	if err != nil {
		return part{}, fmt.Errorf("starting the local cluster and the manager: %w", err)
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	admin, err := story.NewAdmin(env)
	if err != nil {
		return part{}, err
	}
	loop, err := newPlainLoop(env.Admin)
	if err != nil {
		return part{}, err
	}
	measured, err := measureRounds(ctx, admin, loop, rounds, say)
	if err != nil {
		return part{}, err
	}
	return installPart(measured), nil
}

func measureRounds(ctx context.Context, admin *story.Admin, loop *plainLoop, rounds int, say func(string, ...any)) (installs, error) {
	var all installs
	if err := managerRuns().Run(ctx, admin); err != nil {
		return installs{}, err
	}
	log, err := steady.OpenLog(admin.Environment.AuditLog)
	if err != nil {
		return installs{}, err
	}
	remember := func() error {
		memory, err := readResidentMemory(admin.Environment.Manager.PID())
		all.memory = append(all.memory, memory)
		return err
	}
	if err := remember(); err != nil {
		return installs{}, err
	}
	for round := range rounds {
		if _, err := log.Read(steady.ManagersUser); err != nil {
			return installs{}, err
		}
		start := time.Now()
		if err := installStep(sampleOperators("managed", round)).Run(ctx, admin); err != nil {
			return installs{}, err
		}
		all.ours = append(all.ours, time.Since(start).Seconds())
		if err := remember(); err != nil {
			return installs{}, err
		}
		requests, err := requestsUntilQuiet(ctx, log)
		if err != nil {
			return installs{}, err
		}
		all.requests = append(all.requests, requests)

		operators, err := renderSamples(filepath.Join(admin.Environment.Dir, "plain"), sampleOperators("plain", round))
		if err != nil {
			return installs{}, err
		}
		start = time.Now()
		limited, cancel := context.WithTimeout(ctx, roundLimit)
		all.objects, err = loop.install(limited, operators, 1)
		cancel()
		if err != nil {
			return installs{}, fmt.Errorf("installing by a plain loop: %w", err)
		}
		all.plain = append(all.plain, time.Since(start).Seconds())
		say("installed %d operators in round %d of %d: %s, plain loop %s", operatorsPerRound, round+1, rounds,
			seconds.format(all.ours[round]), seconds.format(all.plain[round]))
	}
	return all, nil
}

// installStep creates a PlatformOperator for each of the operators and sees all of them installed and healthy.
func installStep(operators []samples.Operator) story.Step {
	return story.Step{
		Title: fmt.Sprintf("%d operators installed and healthy", len(operators)), Within: roundLimit,
		Act: func(ctx context.Context, admin *story.Admin) error {
			for _, o := range operators {
				if err := admin.Create(ctx, o.Package, ""); err != nil {
					return err
				}
			}
			return nil
		},
		Seen: func(ctx context.Context, admin *story.Admin) error {
			for _, o := range operators {
				if err := admin.Installed(ctx, o.Package, o.Version); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func sampleOperators(prefix string, round int) []samples.Operator {
	operators := make([]samples.Operator, operatorsPerRound)
	for i := range operators {
		operators[i] = samples.Operator{Package: fmt.Sprintf("%s-%d-%d", prefix, round, i), Version: sampleVersion}
	}
	return operators
}

// rendered is an operator for the plain loop: the namespace and what goes into it.
type rendered struct {
	namespace string
	objects   []unstructured.Unstructured
}

// renderSamples writes the bundles of the operators below a folder and renders them.
func renderSamples(dir string, operators []samples.Operator) ([]rendered, error) {
	if err := samples.Write(dir, operators...); err != nil {
		return nil, err
	}
	var all []rendered
	for _, o := range operators {
		objects, err := render(os.DirFS(filepath.Join(dir, "bundles", o.Package, o.Version)))
		if err != nil {
			return nil, fmt.Errorf("rendering sample operator %q: %w", o.Package, err)
		}
		all = append(all, rendered{namespace: o.Package, objects: objects}) // samples suggest a namespace of their name
	}
	return all, nil
}

func installPart(m installs) part {
	n := len(m.ours)
	p := part{
		title: "Installing operators on a cluster",
		text: fmt.Sprintf("%d sample operators at once on the local cluster (a real API server, simulated nodes), from creating the PlatformOperators until another client sees all of them installed and healthy. "+
			"That includes resolving, pulling the images, and status. The baseline is a plain loop of server-side applies of the same objects (%d, namespaces included) by client-go, one after the other without a rate limit, until the Deployments are available; "+
			"it resolves, pulls, repairs and reports nothing. Both look every 100 ms. Each round installs other operators, the first one counts too, and nothing is removed in between. "+
			"Requests are counted from the API server's audit log, from the creation of the PlatformOperators until the manager has made none for %s; of the rounds, the one with the most counts, beside what commit c02a7af took.",
			operatorsPerRound, m.objects, quietTime),
		ours: "manager", baseline: "plain loop of applies",
		figures: []figure{
			{name: fmt.Sprintf("%d operators, until healthy", operatorsPerRound), unit: seconds, ours: median(m.ours), baseline: median(m.plain), n: n},
		},
	}
	p.figures = append(p.figures, requestFigures(m.requests)...)
	p.details = table{
		caption: "The manager's resident memory, and how it grows. Anonymous is what only this process has; total counts the pages of its binary too. One reading each, right after all were healthy; the baseline is the same process before the first PlatformOperator.",
		head:    []string{"operators installed", "anonymous RSS", "÷ idle", "total RSS", "÷ idle"},
	}
	for i, memory := range m.memory {
		p.details.rows = append(p.details.rows, []string{
			fmt.Sprint(i * operatorsPerRound),
			size.format(memory.anonymous), formatRatio(memory.anonymous / m.memory[0].anonymous),
			size.format(memory.total), formatRatio(memory.total / m.memory[0].total),
		})
	}
	return p
}
