package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/test/samples"
)

// prometheus is the user name of Prometheus on OpenShift.
const prometheus = "system:serviceaccount:openshift-monitoring:prometheus-k8s"

// clientCertificate returns a client certificate for a user name that the cluster has signed, like that of OpenShift's monitoring.
func clientCertificate(ctx context.Context, name string) tls.Certificate {
	GinkgoHelper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	asked, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name}}, key)
	Expect(err).NotTo(HaveOccurred())
	client := admin.Kubernetes.CertificatesV1().CertificateSigningRequests()
	request, err := client.Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "scraper-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: asked}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(client.Delete, request.Name, metav1.DeleteOptions{})
	request.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Test"}}
	_, err = client.UpdateApproval(ctx, request.Name, request, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	var signed []byte
	Eventually(func(ctx context.Context) ([]byte, error) {
		live, err := client.Get(ctx, request.Name, metav1.GetOptions{})
		if err == nil {
			signed = live.Status.Certificate
		}
		return signed, err
	}).WithContext(ctx).ShouldNot(BeEmpty())
	der, err := x509.MarshalECPrivateKey(key)
	Expect(err).NotTo(HaveOccurred())
	pair, err := tls.X509KeyPair(signed, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
	Expect(err).NotTo(HaveOccurred())
	return pair
}

// scrape requests a path of the manager over a new connection, with the client certificates, and returns status code and body.
func scrape(ctx context.Context, path string, certificates ...tls.Certificate) (int, string, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+env.Manager.Address+path, nil)
	if err != nil {
		return 0, "", err
	}
	answer, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 16<<20))
	return answer.StatusCode, string(body), err
}

func answerOf(ctx context.Context, path string, certificates ...tls.Certificate) (int, error) {
	status, _, err := scrape(ctx, path, certificates...)
	return status, err
}

// reviews returns the number of TokenReviews and SubjectAccessReviews that the manager has sent.
func reviews() (count int) {
	GinkgoHelper()
	log, err := os.ReadFile(env.AuditLog)
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"username":"system:serviceaccount:openshift-platform-operators:platform-operators"`) &&
			(strings.Contains(line, `"requestURI":"/apis/authentication.k8s.io/v1/tokenreviews`) || strings.Contains(line, `"requestURI":"/apis/authorization.k8s.io/v1/subjectaccessreviews`)) {
			count++
		}
	}
	return count
}

var _ = Describe("the manager's metrics", func() {
	// Promise CLU-P6: The manager gives metrics to Prometheus' client certificate only, with the cluster's TLS profile and a serving
	// certificate that it reloads. For each alert one test fires it and one nearly does.
	It("CLU-P6 are served to Prometheus' client certificate without a request to the API server, and to no one else", func(ctx context.Context) {
		scraper, other := clientCertificate(ctx, prometheus), clientCertificate(ctx, "somebody-else")
		Eventually(func(ctx context.Context) (string, error) { // a manager that has just started evaluates the gate later
			_, body, err := scrape(ctx, "/metrics", scraper)
			return body, err
		}).WithContext(ctx).Should(ContainSubstring("\nplatform_operators_undeclared "))
		before := reviews()
		for range 20 {
			status, body, err := scrape(ctx, "/metrics", scraper)
			Expect(err).NotTo(HaveOccurred())
			Expect(status).To(Equal(http.StatusOK))
			Expect(body).To(ContainSubstring("\nplatform_operators_undeclared "))
		}
		Expect(reviews()).To(Equal(before), "the manager sent a review of Prometheus")

		By("refusing other users, and other paths to Prometheus")
		Expect(answerOf(ctx, "/metrics")).To(BeElementOf(http.StatusUnauthorized, http.StatusForbidden))
		Expect(answerOf(ctx, "/metrics", other)).To(Equal(http.StatusForbidden))
		Expect(answerOf(ctx, "/debug/pprof/", scraper)).To(Equal(http.StatusForbidden))
		Expect(reviews()).To(BeNumerically(">", before), "the audit log does not show such questions at all")

		By("answering probes of any client")
		for _, path := range []string{"/livez", "/readyz", "/healthz"} {
			Expect(answerOf(ctx, path)).To(Equal(http.StatusOK), path)
		}
	})

	It("are served to a certificate of an authority that is added, without a restart", func(ctx context.Context) {
		pid := env.Manager.PID()
		another := newAuthority("another-client-ca")
		scraper := another.client(prometheus)
		Expect(answerOf(ctx, "/metrics", scraper)).To(BeElementOf(http.StatusUnauthorized, http.StatusForbidden))

		configMaps := admin.Kubernetes.CoreV1().ConfigMaps("kube-system")
		trusted, err := configMaps.Get(ctx, "extension-apiserver-authentication", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		before := trusted.Data["client-ca-file"]
		trusted.Data["client-ca-file"] += string(another.pem)
		_, err = configMaps.Update(ctx, trusted, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			live, err := configMaps.Get(ctx, trusted.Name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			live.Data["client-ca-file"] = before
			_, err = configMaps.Update(ctx, live, metav1.UpdateOptions{})
			Expect(err).NotTo(HaveOccurred())
		})
		Eventually(answerOf).WithContext(ctx).WithArguments("/metrics", scraper).Should(Equal(http.StatusOK))
		Expect(env.Manager.PID()).To(Equal(pid))
		Expect(env.Manager.Exited()).NotTo(BeClosed())
	})

	// Promise CLU-P7: The manager serves every metric of the metrics page: installs, upgrade steps, repairs, drift, blockers, catalog
	// age. When an operator is removed, its series disappear.
	It("CLU-P7 cover an install, an upgrade step, a repair, remaining drift, blockers and catalogs, and nothing that was removed", func(ctx context.Context) {
		const name = "metered"
		limit := `"4.21"` // the cluster's version
		Expect(admin.Publish(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "metered-settings", MaxOpenShiftVersion: limit})).To(Succeed())
		scraper := clientCertificate(ctx, prometheus)
		measured := func(ctx context.Context) (map[string]float64, error) { return managerSeries(ctx, scraper) }
		start, err := measured(ctx)
		Expect(err).NotTo(HaveOccurred())

		By("installing and upgrading")
		create(ctx, name, "<1.2.0")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		const installs, hops = `platform_operators_hop_duration_seconds_count{trigger="Installation"}`, `platform_operators_hop_duration_seconds_count{trigger="Automatic"}`
		Eventually(measured).WithContext(ctx).Should(HaveKeyWithValue(installs, start[installs]+1))
		Expect(admin.Publish(ctx,
			samples.Operator{Package: name, Version: "1.1.0", Replaces: "1.0.0", ExtraConfigMap: "metered-settings", MaxOpenShiftVersion: limit},
			samples.Operator{Package: name, Version: "1.2.0", Replaces: "1.1.0", MaxOpenShiftVersion: limit})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
		Eventually(measured).WithContext(ctx).Should(And(
			HaveKeyWithValue(hops, start[hops]+1),
			HaveKeyWithValue(`platform_operators_condition{condition="Healthy",platformoperator="metered",reason="AsExpected",status="True"}`, 1.0),
			HaveKeyWithValue(`platform_operators_condition{condition="Installed",platformoperator="metered",reason="InstallSuccessful",status="True"}`, 1.0),
			HaveKeyWithValue(`platform_operators_blocked_updates{platformoperator="metered",reason="Range"}`, 1.0),
			HaveKeyWithValue(`platform_operators_upgrade_blocker{awaits="",bundledeployment="",platformoperator="metered"}`, 1.0),
			HaveKeyWithValue(`platform_operators_rollouts_total{bundledeployment="metered",outcome="succeeded"}`, 2.0),
		))

		By("repairing")
		settings := admin.Kubernetes.CoreV1().ConfigMaps(name)
		Expect(settings.Delete(ctx, "metered-settings", metav1.DeleteOptions{})).To(Succeed())
		Eventually(measured).WithContext(ctx).Should(HaveKeyWithValue(`platform_operators_drift_repairs_total{bundledeployment="metered"}`, 1.0))

		By("leaving drift while the operator is paused")
		operators := admin.Platform.PlatformV1alpha1().PlatformOperators()
		_, err = operators.Patch(ctx, name, apitypes.MergePatchType, []byte(`{"spec":{"paused":true}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(measured).WithContext(ctx).Should(HaveKeyWithValue(`platform_operators_condition{condition="Progressing",platformoperator="metered",reason="Paused",status="False"}`, 1.0))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, "Progressing").Should(ContainSubstring("Paused"))
		Expect(settings.Delete(ctx, "metered-settings", metav1.DeleteOptions{})).To(Succeed())
		Eventually(measured).WithContext(ctx).Should(HaveKeyWithValue(`platform_operators_drifted{bundledeployment="metered",reason="DriftReported"}`, 1.0))

		By("serving every metric of the page, with an acknowledged risk")
		now, err := measured(ctx)
		Expect(err).NotTo(HaveOccurred())
		_, err = operators.Patch(ctx, name, apitypes.MergePatchType, []byte(`{"spec":{"compatibilityOverrides":[{"openShiftVersion":"4.22","reason":"Ada","expires":"2999-01-01T00:00:00Z"}]}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(measured).WithContext(ctx).Should(And(
			HaveKeyWithValue(`platform_operators_acknowledged_risk{bundledeployment="",platformoperator="metered"}`, 1.0), Not(HaveKey(`platform_operators_upgrade_blocker{awaits="",bundledeployment="",platformoperator="metered"}`))))
		taken, err := measured(ctx)
		Expect(err).NotTo(HaveOccurred())
		for _, metric := range metricsOnPage() {
			Expect(append(metricNames(now), metricNames(taken)...)).To(ContainElement(metric))
		}
		Expect(keysOf(now)).To(ContainElement(MatchRegexp(`^platform_operators_catalog_age_seconds\{catalog="CatalogSource/openshift-marketplace/.+"\}$`)))

		By("removing the series of a removed operator")
		remove(ctx, name)
		Eventually(func(ctx context.Context) ([]string, error) {
			now, err := measured(ctx)
			return keysOf(now), err
		}).WithContext(ctx).Should(And(ContainElement("platform_operators_undeclared"), Not(ContainElement(ContainSubstring(`"metered"`)))))
	})
})

// managerSeries returns the series of the manager's own metrics, with their values. A key is a name with its labels. It returns an error
// unless the manager responds with 200.
func managerSeries(ctx context.Context, scraper tls.Certificate) (map[string]float64, error) {
	status, body, err := scrape(ctx, "/metrics", scraper)
	if err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("getting the manager's metrics: %d, %w", status, err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(body) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), "} "); found && strings.HasPrefix(name, "platform_operators_") {
			if all[name+"}"], err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
		} else if name, value, found := strings.Cut(strings.TrimSpace(line), " "); found && strings.HasPrefix(name, "platform_operators_") {
			if all[name], err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func keysOf(all map[string]float64) []string {
	keys := make([]string, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	return keys
}

// metricNames returns the names of the metrics of series, without labels and the suffix _count.
func metricNames(all map[string]float64) []string {
	var found []string
	for key := range all {
		name, _, _ := strings.Cut(key, "{")
		found = append(found, strings.TrimSuffix(name, "_count"))
	}
	return found
}

var metricRow = regexp.MustCompile("(?m)^\\| `(platform_operators_[a-z_]+)` \\|")

func metricsOnPage() (metrics []string) {
	GinkgoHelper()
	page, err := os.ReadFile(filepath.Join(env.Root, "docs", "metrics.md"))
	Expect(err).NotTo(HaveOccurred())
	for _, row := range metricRow.FindAllStringSubmatch(string(page), -1) {
		metrics = append(metrics, row[1])
	}
	Expect(len(metrics)).To(BeNumerically(">", 8))
	return metrics
}
