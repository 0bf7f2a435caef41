package main

import (
	"context"
	"fmt"
	"time"

	"github.com/openshift/platform-operators/test/environment"
)

const (
	// policyRequests is the number of changes of a BundleDeployment with the policies in force, and of those without them. fewerRequests is
	// that number for the other kinds of requests.
	policyRequests, fewerRequests = 10_000, 2_000
	// policyBlocks is the number of blocks of requests with the policies in force, and of those without them.
	policyBlocks = 5
	// policySeconds is the API server's metric of the time that admitted updates spent in all ValidatingAdmissionPolicies, in seconds.
	policySeconds = `apiserver_admission_controller_admission_duration_seconds_sum{name="ValidatingAdmissionPolicy",operation="UPDATE",rejected="false",type="validate"}`
)

// policyTimes holds the times of requests of one kind, in seconds.
type policyTimes struct {
	// requests are the times until the client had the answers, and inPolicies is the sum of the times in ValidatingAdmissionPolicies.
	requests   []float64
	inPolicies float64
}

// policyCosts holds the times of requests of one kind with and without the policies that decide who may deploy and approve.
type policyCosts struct {
	name          string
	with, without policyTimes
}

// measurePolicies measures requests to the API server with and without the policies for BundleDeployments and PlatformOperators.
func measurePolicies(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		requests, err := l.preparePolicyRequests(ctx)
		if err != nil {
			return part{}, fmt.Errorf("preparing the requests: %w", err)
		}
		policies, err := l.newPolicySwitch(ctx)
		if err != nil {
			return part{}, err
		}
		measured := make([]policyCosts, len(requests))
		for block := range policyBlocks {
			if err := l.policyBlock(ctx, requests, measured, policies); err != nil {
				return part{}, err
			}
			logf("sent block %d of %d", block+1, policyBlocks)
		}
		for _, each := range measured {
			logf("%s: %s with the policies, %s without them (p50)", each.name, seconds.format(percentile(each.with.requests, 50)), seconds.format(percentile(each.without.requests, 50)))
		}
		return policiesPart(measured), nil
	})
}

// policyBlock sends a block of requests of each kind with the policies in force, and as many without them.
func (l *live) policyBlock(ctx context.Context, requests []policyRequest, measured []policyCosts, policies *policySwitch) error {
	for _, isInForce := range []bool{true, false} {
		if err := policies.set(ctx, isInForce, requests); err != nil {
			return err
		}
		for i, request := range requests {
			measured[i].name = request.name
			times := &measured[i].without
			if isInForce {
				times = &measured[i].with
			}
			if err := l.sendTimed(ctx, request, times); err != nil {
				return fmt.Errorf("sending a request (%s), policies in force: %t: %w", request.name, isInForce, err)
			}
		}
	}
	return policies.set(ctx, true, requests)
}

// sendTimed sends a block of requests, one after the other, and adds the times.
func (l *live) sendTimed(ctx context.Context, request policyRequest, times *policyTimes) error {
	before, err := l.secondsInPolicies(ctx)
	if err != nil {
		return err
	}
	for range request.count / policyBlocks {
		start := time.Now()
		if err := request.send(ctx, request.asTenant); err != nil {
			return err
		}
		times.requests = append(times.requests, time.Since(start).Seconds())
	}
	after, err := l.secondsInPolicies(ctx)
	times.inPolicies += after - before
	return err
}

// policiesPart returns the section. The API server receives few updates beside the measured ones, so that their time in policies is neglected.
func policiesPart(measured []policyCosts) part {
	p := part{
		title: "Requests under the admission policies",
		text: "The time of requests that policies `platform-operators-bundledeployments` and `platform-operators-platformoperators` check: dry-run merge patches, one after the other, until the client has the answer. A ServiceAccount sends them that has exactly the verbs that the policies require. The ServiceAccount of the BundleDeployment is in `spec.serviceAccountName`.\n\n" +
			fmt.Sprintf("The baseline is the same request while the two policies have no bindings. Both sides alternate %d times. The other policies of the payload stay in force on both sides. “In policies” is the mean time that the API server spends in all ValidatingAdmissionPolicies, from its metric `apiserver_admission_controller_admission_duration_seconds`.", policyBlocks),
		ours: "with the policies", baseline: "without them",
	}
	for _, m := range measured {
		n := len(m.with.requests)
		for _, percent := range []int{50, 95} {
			p.figures = append(p.figures, figure{name: fmt.Sprintf("%s: p%d", m.name, percent), unit: seconds,
				ours: percentile(m.with.requests, percent), baseline: percentile(m.without.requests, percent), n: n})
		}
		p.figures = append(p.figures, figure{name: m.name + ": in policies, mean", unit: seconds,
			ours: m.with.inPolicies / float64(n), baseline: m.without.inPolicies / float64(len(m.without.requests)), n: n})
	}
	return p
}
