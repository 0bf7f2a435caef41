package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/steady"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// removedOperators is the number of operators that are removed at once.
	removedOperators = 100
	// removalSecondsBefore and removalRequestsBefore are the time and the number of requests of commit c02a7af, for comparison.
	removalSecondsBefore, removalRequestsBefore = 75, 13_939
)

// removals holds the times and requests of removing the same number of operators with the manager and with the plain loop.
type removals struct {
	operators int
	// ours is the time, in seconds, until the manager has removed the operators, and gone is the time until their namespaces are gone.
	// plain and foreground are the times of the plain loop with background and foreground deletion.
	ours, gone, plain, foreground float64
	// requests are the requests of the manager. deletions and polls are numbers of requests of the plain loop with foreground deletion.
	requests         steady.Requests
	deletions, polls int
}

// measureRemoval measures deleting all PlatformOperators at once, and deleting the same objects of as many other operators with a plain
// loop.
func measureRemoval(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	operators := operatorsNamed("removed", removedOperators)
	return withCluster(ctx, dir, environment.Options{Samples: operators, AuditLog: true}, logf, func(ctx context.Context, l *live) (part, error) {
		measured := removals{operators: len(operators)}
		if err := l.removeManaged(ctx, &measured, operators); err != nil {
			return part{}, err
		}
		logf("removed %d operators: %s, %d requests: %s", len(operators), seconds.format(measured.ours), measured.requests.Total(), measured.requests)
		if err := l.removeByLoop(ctx, &measured, operatorsNamed("plain", removedOperators)); err != nil {
			return part{}, err
		}
		logf("deleted the objects of %d operators by a plain loop: %s, %d requests", len(operators), seconds.format(measured.plain), measured.deletions+measured.polls)
		return removalPart(measured), nil
	})
}

// operatorsNamed returns the given number of sample operators, each with its own package, namespace and CRD.
func operatorsNamed(prefix string, number int) []samples.Operator {
	operators := make([]samples.Operator, number)
	for i := range operators {
		operators[i] = samples.Operator{Package: fmt.Sprintf("%s-%d", prefix, i), Version: sampleVersion}
	}
	return operators
}

// removeManaged installs the operators and measures their removal by the manager. It returns an error if an object is missing before the
// removal.
func (l *live) removeManaged(ctx context.Context, measured *removals, operators []samples.Operator) error {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return err
	}
	objects, err := renderSamples(filepath.Join(l.Dir, "removed"), operators)
	if err != nil {
		return err
	}
	footprint, err := l.newFootprint(objects)
	if err != nil {
		return err
	}
	install := installStep(operators)
	install.Within = waitLimit
	if err := install.Run(ctx, l.admin); err != nil {
		return err
	}
	if _, err := requestsUntilQuiet(ctx, log); err != nil { // skips the requests of the installation
		return err
	}
	if err := footprint.complete(ctx); err != nil {
		return fmt.Errorf("checking that the objects of %d operators exist before their removal: %w", len(operators), err)
	}
	start := time.Now()
	remove := story.Step{
		Title: fmt.Sprintf("%d operators removed", len(operators)), Within: waitLimit,
		Act:  func(ctx context.Context, _ *story.Admin) error { return l.deletePlatformOperators(ctx, operators) },
		Seen: func(ctx context.Context, _ *story.Admin) error { return footprint.removed(ctx) },
	}
	if err := remove.Run(ctx, l.admin); err != nil {
		return err
	}
	measured.ours = time.Since(start).Seconds()
	terminate := story.Step{
		Title: fmt.Sprintf("%d namespaces gone", len(operators)), Within: waitLimit,
		Act:  func(context.Context, *story.Admin) error { return nil },
		Seen: func(ctx context.Context, _ *story.Admin) error { return footprint.gone(ctx) },
	}
	if err := terminate.Run(ctx, l.admin); err != nil {
		return err
	}
	measured.gone = time.Since(start).Seconds()
	measured.requests, err = requestsUntilQuiet(ctx, log)
	return err
}

func (l *live) deletePlatformOperators(ctx context.Context, operators []samples.Operator) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, operator := range operators {
		group.Go(func() error {
			return l.admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, operator.Package, metav1.DeleteOptions{})
		})
	}
	return group.Wait()
}

// removeByLoop measures removals by the plain loop, first with background deletion and then with foreground deletion. Both remove the same
// operators.
func (l *live) removeByLoop(ctx context.Context, measured *removals, operators []samples.Operator) error {
	objects, err := renderSamples(filepath.Join(l.Dir, "plain"), operators)
	if err != nil {
		return err
	}
	if measured.plain, err = l.timePlainRemoval(ctx, measured, objects, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	measured.foreground, err = l.timePlainRemoval(ctx, measured, objects, metav1.DeletePropagationForeground)
	return err
}

// timePlainRemoval installs operators, removes them with the plain loop, and returns the duration of the removal in seconds. It returns an
// error if there are fewer Pods than operators before the removal, because then the loop would not wait for every operator.
func (l *live) timePlainRemoval(ctx context.Context, measured *removals, operators []rendered, propagation metav1.DeletionPropagation) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	if _, err := l.loop.install(ctx, operators, engineParallel); err != nil {
		return 0, fmt.Errorf("installing by a plain loop: %w", err)
	}
	pods, err := l.loop.pods(ctx, operators)
	if err != nil {
		return 0, err
	}
	if pods < len(operators) {
		return 0, fmt.Errorf("removing by a plain loop: %d operators have only %d Pods", len(operators), pods)
	}
	start := time.Now()
	measured.deletions, measured.polls, err = l.loop.remove(ctx, operators, engineParallel, propagation)
	if err != nil {
		return 0, fmt.Errorf("removing by a plain loop: %w", err)
	}
	return time.Since(start).Seconds(), nil
}

func removalPart(m removals) part {
	each := func(requests int) float64 { return float64(requests) / float64(m.operators) }
	name := fmt.Sprintf("%d operators", m.operators)
	return part{
		title: "Removing operators",
		text: fmt.Sprintf("%d installed sample operators, each with a namespace and a CRD, are removed by deleting all their PlatformOperators at once. The first time is until another client finds no PlatformOperator, BundleDeployment, cluster role or binding of theirs, and their namespaces are being deleted. The last time is until the namespaces are gone, which depends on Kubernetes' namespace controller. CRDs are kept by default. The client polls every 100 ms.\n\n"+
			"Requests are the manager's in the API server's audit log, without watches and leases, until it has written nothing for %s.\n\n"+
			"The baseline deletes the same objects of as many other operators in a client-go loop without a rate limit, one operator after the other and %d objects at once. Then it polls every 100 ms until their Pods are gone. It keeps the namespaces and does not check ownership. It deletes Deployments in the background, as kubectl does, so that Pods may outlive their permissions. The manager deletes Deployments in the foreground and waits for their Pods, which causes several times as many requests of Kubernetes' controllers. The second row has a baseline that does so, too.\n\n"+
			"Commit c02a7af took %d s and %d requests, most of them to check whether namespaces are empty.", m.operators, quietTime, engineParallel, removalSecondsBefore, removalRequestsBefore),
		ours: "manager", baseline: "plain loop, namespaces kept",
		figures: []figure{
			{name: fmt.Sprintf("%s, until removed (c02a7af: %d s)", name, removalSecondsBefore), unit: seconds, ours: m.ours, baseline: m.plain, n: 1},
			{name: name + ", until removed; baseline with foreground deletion", unit: seconds, ours: m.ours, baseline: m.foreground, n: 1},
			{name: name + ", until their namespaces are gone", unit: seconds, ours: m.gone, baseline: m.plain, n: 1},
			{name: name + fmt.Sprintf(", requests per operator (c02a7af: %d)", removalRequestsBefore/removedOperators), unit: count, ours: each(m.requests.Total()), baseline: each(m.deletions + m.polls), n: 1},
			{name: name + ", writes per operator", unit: count, ours: each(m.requests.Writes), baseline: each(m.deletions), n: 1},
			{name: name + ", GETs and LISTs per operator", unit: count, ours: each(m.requests.Gets + m.requests.Lists), baseline: each(m.polls), n: 1},
		},
	}
}
