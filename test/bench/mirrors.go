package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/mirrors"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/signing"
)

// verifiedAtOnce is the number of BundleDeployments whose images are verified at the same time.
const verifiedAtOnce = 20

// mirrorPulls holds the costs of pulls, and the peaks of memory with and without verification, in bytes above the memory before.
type mirrorPulls struct {
	direct, first, next cost
	samples             int
	verified, plain     []float64
}

// measureMirrors measures pulls through dead mirrors, and the manager's peak memory while it verifies signatures.
func measureMirrors(ctx context.Context, dir string, samples, rounds int, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		measured := mirrorPulls{samples: samples}
		if err := l.pullThroughMirrors(ctx, &measured); err != nil {
			return part{}, fmt.Errorf("pulling through mirrors: %w", err)
		}
		for round := range rounds {
			for _, isSigned := range []bool{true, false} {
				used, err := l.verifyRound(ctx, round, isSigned)
				if err != nil {
					return part{}, fmt.Errorf("verifying signatures: %w", err)
				}
				if isSigned {
					measured.verified = append(measured.verified, used)
				} else {
					measured.plain = append(measured.plain, used)
				}
			}
			logf("deploying %d bundles, round %d: %s more with signatures, %s more without", verifiedAtOnce, round+1, size.format(measured.verified[round]), size.format(measured.plain[round]))
		}
		return mirrorsPart(measured), nil
	})
}

// fixedMirrors is a configuration of registries with mirrors only.
type fixedMirrors struct{ sets mirrors.Objects }

func (f fixedMirrors) Rules(context.Context) (*mirrors.Rules, error) {
	return mirrors.New(f.sets), nil
}

func (f fixedMirrors) Authorities(context.Context, string) (*x509.CertPool, error) { return nil, nil }

func (f fixedMirrors) Policies(context.Context) (*imagepolicy.Policies, error) { return nil, nil }

// pullThroughMirrors measures pulls of an image that has two dead mirrors: one with a closed port, and one that answers with status 503.
func (l *live) pullThroughMirrors(ctx context.Context, measured *mirrorPulls) error {
	ref, err := l.publish(ctx, bulk.Bundle{Name: "mirrored", Objects: 10})
	if err != nil {
		return err
	}
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	registry, _, _ := strings.Cut(ref, "/")
	dead := fixedMirrors{mirrors.Objects{DigestMirrorSets: []*configv1.ImageDigestMirrorSet{{Spec: configv1.ImageDigestMirrorSetSpec{
		ImageDigestMirrors: []configv1.ImageDigestMirrors{{Source: registry, Mirrors: []configv1.ImageMirror{
			"127.0.0.1:1", configv1.ImageMirror(strings.TrimPrefix(down.URL, "http://")),
		}}},
	}}}}}
	known := image.New(image.Config{Registries: dead})
	costs, err := measureAlternately(measured.samples,
		subject{"a direct pull", func() error { return unpackOnce(ctx, image.New(image.Config{}), ref) }},
		subject{"the first pull", func() error { return unpackOnce(ctx, image.New(image.Config{Registries: dead}), ref) }},
		subject{"the next pull", func() error { return unpackOnce(ctx, known, ref) }},
	)
	if err != nil {
		return err
	}
	measured.direct, measured.first, measured.next = costs[0], costs[1], costs[2]
	return nil
}

// unpackOnce unpacks an image to a temporary folder, and removes it.
func unpackOnce(ctx context.Context, fetcher *image.Fetcher, ref string) (err error) {
	dir, err := os.MkdirTemp("", "bench-mirrors-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	_, err = fetcher.Unpack(ctx, image.Source{Ref: ref}, source.Target{Dir: dir})
	return err
}

// verifyRound deploys bundles at once, and returns the manager's peak memory above the memory before. If they are signed, a ClusterImagePolicy
// requires it.
func (l *live) verifyRound(ctx context.Context, round int, isSigned bool) (float64, error) {
	key, err := signing.NewKey()
	if err != nil {
		return 0, err
	}
	kind := map[bool]string{true: "signed", false: "plain"}[isSigned]
	var refs []string
	var scopes []configv1.ImageScope
	for i := range verifiedAtOnce {
		ref, err := l.publish(ctx, bulk.Bundle{Name: fmt.Sprintf("%s-%d-%d", kind, round, i), Objects: 10})
		if err != nil {
			return 0, err
		}
		refs = append(refs, ref)
		scope, _, _ := strings.Cut(ref, "@")
		scopes = append(scopes, configv1.ImageScope(scope))
		if isSigned {
			if err := sign(key, ref); err != nil {
				return 0, err
			}
		}
	}
	if isSigned {
		if err := l.require(ctx, fmt.Sprintf("signed-%d", round), key, scopes); err != nil {
			return 0, err
		}
	}
	used, err := watchPeak(ctx, l.Manager.PID(), func() error {
		group, groupCtx := errgroup.WithContext(ctx)
		for _, ref := range refs {
			scope, _, _ := strings.Cut(ref, "@")
			group.Go(func() error {
				_, err := l.deploy(groupCtx, filepath.Base(scope), ref)
				return err
			})
		}
		return group.Wait()
	})
	return used.extra(), err
}

// require creates the policy that images in the scopes are signed by a key.
func (l *live) require(ctx context.Context, name string, key signing.Key, scopes []configv1.ImageScope) error {
	public, err := key.Public()
	if err != nil {
		return err
	}
	_, err = l.admin.Config.ConfigV1().ClusterImagePolicies().Create(ctx, &configv1.ClusterImagePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: configv1.ClusterImagePolicySpec{
			Scopes: scopes, Policy: configv1.ImageSigstoreVerificationPolicy{
				RootOfTrust:    configv1.PolicyRootOfTrust{PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: public}},
				SignedIdentity: &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository},
			},
		},
	}, metav1.CreateOptions{})
	return err
}

// sign attaches a signature to an image.
func sign(key signing.Key, ref string) error {
	at, err := name.NewDigest(ref)
	if err != nil {
		return err
	}
	signature, err := signing.Signer{Key: key}.Sign(at.Context().Name(), at.DigestStr())
	if err != nil {
		return err
	}
	return signing.Attach(at, signing.ByTag, []signing.Signature{signature})
}

func mirrorsPart(m mirrorPulls) part {
	return part{
		title: "Pulling through mirrors, and verifying signatures",
		text: "An image of ten objects is pulled and unpacked. The image has two mirrors that fail: one with a closed port, and one that answers with status 503. The first pull tries both mirrors. For a minute after that, pulls try both mirrors last. The baseline is a pull from a registry without mirrors, in the same process.\n\n" +
			fmt.Sprintf("%d BundleDeployments are created at once, each of an image with a signature that a ClusterImagePolicy requires. Memory is the manager's peak anonymous RSS until all are healthy, read every 5 ms, minus its value before. The baseline is as many images without signatures, to which no policy applies.", verifiedAtOnce),
		ours: "mirrors, signatures", baseline: "neither",
		figures: []figure{
			{name: "first pull through two dead mirrors", unit: seconds, ours: m.first.time.Seconds(), baseline: m.direct.time.Seconds(), n: m.samples},
			{name: "next pull", unit: seconds, ours: m.next.time.Seconds(), baseline: m.direct.time.Seconds(), n: m.samples},
			{name: fmt.Sprintf("%d images: memory", verifiedAtOnce), unit: size, ours: median(m.verified), baseline: median(m.plain), n: len(m.verified)},
		},
	}
}
