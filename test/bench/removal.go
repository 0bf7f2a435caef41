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
	// removedOperators is how many operators are removed at once.
	removedOperators = 100
	// removalSecondsBefore and removalRequestsBefore are what commit c02a7af took to remove as many.
	removalSecondsBefore, removalRequestsBefore = 75, 13_939
)

// removals is what removing the same number of operators took on either side.
type removals struct {
	operators int
	// ours and gone are seconds: until the manager was through, and until the namespaces were gone too. plain and foreground are the
	// plain loop's, with either propagation.
	ours, gone, plain, foreground float64
	// requests are the manager's, deletions and looks the plain loop's.
	requests         steady.Requests
	deletions, looks int
}

// measureRemoval installs operators and deletes all their PlatformOperators at once, beside a plain loop that deletes the same
// objects of as many other operators.
func measureRemoval(ctx context.Context, dir string, say func(string, ...any)) (part, error) {
	operators := operatorsNamed("removed", removedOperators)
	return onLive(ctx, dir, environment.Options{Samples: operators, AuditLog: true}, say, func(ctx context.Context, l *live) (part, error) {
		measured := removals{operators: len(operators)}
		if err := l.removeManaged(ctx, &measured, operators); err != nil {
			return part{}, err
		}
		say("removed %d operators: %s, %d requests: %s", len(operators), seconds.format(measured.ours), measured.requests.Total(), measured.requests)
		if err := l.removePlainly(ctx, &measured, operatorsNamed("plain", removedOperators)); err != nil {
			return part{}, err
		}
		say("deleted the objects of %d operators by a plain loop: %s, %d requests", len(operators), seconds.format(measured.plain), measured.deletions+measured.looks)
		return removalPart(measured), nil
	})
}

// operatorsNamed are sample operators, each of a package, a namespace and a CRD of its own.
func operatorsNamed(prefix string, number int) []samples.Operator {
	operators := make([]samples.Operator, number)
	for i := range operators {
		operators[i] = samples.Operator{Package: fmt.Sprintf("%s-%d", prefix, i), Version: sampleVersion}
	}
	return operators
}

// removeManaged measures the manager's side.
func (l *live) removeManaged(ctx context.Context, measured *removals, operators []samples.Operator) error {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return err
	}
	objects, err := renderSamples(filepath.Join(l.Dir, "removed"), operators)
	if err != nil {
		return err
	}
	objectsOf, err := l.newFootprint(objects)
	if err != nil {
		return err
	}
	install := installStep(operators)
	install.Within = settleLimit
	if err := install.Run(ctx, l.admin); err != nil {
		return err
	}
	if _, err := requestsUntilQuiet(ctx, log); err != nil { // those of the installation
		return err
	}
	if err := objectsOf.complete(ctx); err != nil {
		return fmt.Errorf("looking for what %d operators consist of: %w; without it, that they are gone would mean nothing", len(operators), err)
	}
	start := time.Now()
	remove := story.Step{
		Title: fmt.Sprintf("%d operators removed", len(operators)), Within: settleLimit,
		Act:  func(ctx context.Context, _ *story.Admin) error { return l.deletePlatformOperators(ctx, operators) },
		Seen: func(ctx context.Context, _ *story.Admin) error { return objectsOf.removed(ctx) },
	}
	if err := remove.Run(ctx, l.admin); err != nil {
		return err
	}
	measured.ours = time.Since(start).Seconds()
	terminate := story.Step{
		Title: fmt.Sprintf("%d namespaces gone", len(operators)), Within: settleLimit,
		Act:  func(context.Context, *story.Admin) error { return nil },
		Seen: func(ctx context.Context, _ *story.Admin) error { return objectsOf.gone(ctx) },
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

// removePlainly measures the baselines, one after the other with the same operators.
func (l *live) removePlainly(ctx context.Context, measured *removals, operators []samples.Operator) error {
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

// timePlainRemoval installs and removes operators by a plain loop, and returns the seconds of the removal. A Deployment's Pods belong to
// what is installed, so that those are waited for too.
func (l *live) timePlainRemoval(ctx context.Context, measured *removals, operators []rendered, propagation metav1.DeletionPropagation) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	if _, err := l.loop.install(ctx, operators, engineParallel); err != nil {
		return 0, fmt.Errorf("installing by a plain loop: %w", err)
	}
	pods, err := l.loop.pods(ctx, operators)
	if err != nil {
		return 0, err
	}
	if pods < len(operators) {
		return 0, fmt.Errorf("removing by a plain loop: %d operators have %d Pods, so that waiting for their end would mean nothing", len(operators), pods)
	}
	start := time.Now()
	measured.deletions, measured.looks, err = l.loop.remove(ctx, operators, engineParallel, propagation)
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
		text: fmt.Sprintf("%d sample operators, each with a namespace and a CRD of its own, are installed, and then all their PlatformOperators are deleted at once: from the first deletion until another client, which looks every 100 ms, finds none of their PlatformOperators, BundleDeployments, cluster roles and bindings any more, and of their namespaces only such as are being deleted; and until those are gone too, which is Kubernetes' namespace controller's work. CRDs are kept, as is the default. "+
			"Requests are the manager's in the API server's audit log, watches and leases aside, until it has written nothing for %s. "+
			"The baseline is a plain loop by client-go without a rate limit. It deletes the same objects of as many other operators, one operator after the other and %d objects at once, and then looks every 100 ms until no Pod of them is left. It leaves the namespaces, so that it need not know whether they are empty, and it does not check who owns an object. "+
			"It deletes Deployments in the background, as kubectl does, so that their Pods may outlive the permissions that these need. The manager deletes Deployments in the foreground and waits for their Pods, which has Kubernetes' own controllers send several times as many requests; the second row has a loop that does so too. "+
			"Commit c02a7af took %d s and %d requests, most of them to learn whether namespaces are empty.",
			m.operators, quietTime, engineParallel, removalSecondsBefore, removalRequestsBefore),
		ours: "manager", baseline: "plain loop, namespaces stay",
		figures: []figure{
			{name: fmt.Sprintf("%s, until removed (c02a7af: %d s)", name, removalSecondsBefore), unit: seconds, ours: m.ours, baseline: m.plain, n: 1},
			{name: name + ", until removed; baseline in the foreground too", unit: seconds, ours: m.ours, baseline: m.foreground, n: 1},
			{name: name + ", until their namespaces are gone", unit: seconds, ours: m.gone, baseline: m.plain, n: 1},
			{name: name + fmt.Sprintf(", requests for each (c02a7af: %d)", removalRequestsBefore/removedOperators), unit: count, ours: each(m.requests.Total()), baseline: each(m.deletions + m.looks), n: 1},
			{name: name + ", writes for each", unit: count, ours: each(m.requests.Writes), baseline: each(m.deletions), n: 1},
			{name: name + ", GETs and LISTs for each", unit: count, ours: each(m.requests.Gets + m.requests.Lists), baseline: each(m.looks), n: 1},
		},
	}
}
