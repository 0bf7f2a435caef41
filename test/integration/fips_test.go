package integration

import (
	"context"
	"crypto/tls"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/samples"
)

var _ = Describe("a manager in FIPS mode", func() {
	// A key exchange that FIPS 140 does not approve shows whether the mode is on.
	unapproved := func() *tls.Config { return &tls.Config{CurvePreferences: []tls.CurveID{tls.X25519}} }

	// Promise HRD-C7: In FIPS mode the manager starts, serves with approved algorithms only, pulls, installs and repairs. In FIPS-only
	// mode it serves with a given certificate, and without one a library ends it.
	It("[HRD-C7] starts, serves with approved algorithms only, pulls, installs and repairs", func(ctx context.Context) {
		const pkg = "approved"
		Eventually(func(ctx context.Context) error {
			_, err := handshake(ctx, unapproved())
			return err
		}).WithContext(ctx).Should(Succeed(), "no manager takes this key exchange, so it shows nothing")
		stopManagerForSpec()
		manager := env.Manager.WithEnv("GODEBUG=fips140=on")
		startManagerForSpec(manager)
		Eventually(answerOf).WithContext(ctx).WithArguments("/readyz").Should(Equal(http.StatusOK))
		Expect(handshake(ctx, unapproved())).Error().To(MatchError(ContainSubstring("handshake failure")))
		Expect(handshake(ctx, &tls.Config{CurvePreferences: []tls.CurveID{tls.CurveP256}})).Error().NotTo(HaveOccurred())

		By("reading the catalog, pulling the bundle, installing and repairing")
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		create(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		expectRepair(ctx, pkg)
		Expect(manager.Exited()).NotTo(BeClosed())
	})

	It("[HRD-C7] with approved algorithms only is ended by a library without a serving certificate, and serves with one", func(ctx context.Context) {
		stopManagerForSpec()
		refused := env.Manager.WithEnv("GODEBUG=fips140=only")
		Expect(refused.Start()).To(Succeed())
		Eventually(refused.Exited()).WithContext(ctx).Should(BeClosed())
		Expect(refused.Ended()).To(And(
			ContainSubstring("crypto/sha1: use of SHA-1 is not allowed in FIPS 140-only mode"), ContainSubstring("library-go/pkg/crypto.newKeyPairWithHash")))

		dir := GinkgoT().TempDir()
		newAuthority("given").serving(dir)
		startManagerForSpec(refused.With("--config", writeConfig(dir, string(configv1.VersionTLS12))))
		Eventually(answerOf).WithContext(ctx).WithArguments("/readyz").Should(Equal(http.StatusOK))
		Expect(servingCertificate(ctx)).To(HaveField("Issuer.CommonName", "given"))
	})
})
