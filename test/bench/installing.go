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
	// operatorsPerRound is the number of operators that a round installs at once.
	operatorsPerRound = 10
	sampleVersion     = "1.0.0"
	// roundLimit is the maximum time for one round of the manager or of the plain loop. It also limits the wait for the manager to run.
	roundLimit = 2 * time.Minute
)

// installs holds the times and requests of all rounds, and the manager's memory before the first round and after each round.
type installs struct {
	ours, plain []float64 // seconds
	memory      []residentMemory
	requests    []steady.Requests // of the manager; one per round
	objects     int               // number of objects in each round
}

// measureInstall starts a local cluster with the manager and installs operators in rounds, with PlatformOperators and with a plain loop
// that applies the same objects. Each round installs different operators, so that nothing has to be removed.
func measureInstall(ctx context.Context, dir string, rounds int, logf func(format string, args ...any)) (p part, err error) {
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
	measured, err := measureRounds(ctx, admin, loop, rounds, logf)
	if err != nil {
		return part{}, err
	}
	return installPart(measured), nil
}

func measureRounds(ctx context.Context, admin *story.Admin, loop *plainLoop, rounds int, logf func(string, ...any)) (installs, error) {
	var all installs
	if err := managerIsRunning().Run(ctx, admin); err != nil {
		return installs{}, err
	}
	log, err := steady.OpenLog(admin.Environment.AuditLog)
	if err != nil {
		return installs{}, err
	}
	recordMemory := func() error {
		memory, err := readResidentMemory(admin.Environment.Manager.PID())
		all.memory = append(all.memory, memory)
		return err
	}
	if err := recordMemory(); err != nil {
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
		if err := recordMemory(); err != nil {
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
		limitedCtx, cancel := context.WithTimeout(ctx, roundLimit)
		all.objects, err = loop.install(limitedCtx, operators, 1)
		cancel()
		if err != nil {
			return installs{}, fmt.Errorf("installing by a plain loop: %w", err)
		}
		all.plain = append(all.plain, time.Since(start).Seconds())
		logf("installed %d operators in round %d of %d: %s, plain loop %s", operatorsPerRound, round+1, rounds,
			seconds.format(all.ours[round]), seconds.format(all.plain[round]))
	}
	return all, nil
}

// installStep creates a PlatformOperator for each operator and waits until all are installed and healthy.
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

// rendered is an operator to install with the plain loop: its namespace, and its rendered objects except the Namespace object.
type rendered struct {
	namespace string
	objects   []unstructured.Unstructured
}

// renderSamples writes the operators' bundles to a folder and renders them, each for a namespace with the name of its package.
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
		all = append(all, rendered{namespace: o.Package, objects: objects}) // samples suggest a namespace named as the package
	}
	return all, nil
}

func installPart(m installs) part {
	n := len(m.ours)
	p := part{
		title: "Installing operators on a cluster",
		text: fmt.Sprintf("%d sample operators are installed at once on the local cluster, which has a real API server and simulated nodes. The time is from creating the PlatformOperators until another client sees all of them installed and healthy. It includes resolving, pulling the images and writing status.\n\n"+
			"The baseline applies the same %d objects, including namespaces, by server-side apply in a client-go loop, one after the other and without a rate limit, until the Deployments are available. It does not resolve, pull, repair or report. Both sides poll every 100 ms. Each round installs other operators, the first round counts, and nothing is removed between rounds.\n\n"+
			"Requests are counted in the API server's audit log until the manager has sent none for %s. The figure is that of the round with the most requests. The figure of commit c02a7af is in parentheses.", operatorsPerRound, m.objects, quietTime),
		ours: "manager", baseline: "plain loop of applies",
		figures: []figure{
			{name: fmt.Sprintf("%d operators, until healthy", operatorsPerRound), unit: seconds, ours: median(m.ours), baseline: median(m.plain), n: n},
		},
	}
	p.figures = append(p.figures, requestFigures(m.requests)...)
	p.details = table{
		caption: "The manager's resident memory, read once after each round. “Anonymous” is the heap and stacks; “total” includes the pages of the binary. “Idle” is the same process before the first PlatformOperator.",
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
