package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/crypto"
)

// authority is a certificate authority that the cluster does not trust.
type authority struct {
	ca  *crypto.CA
	pem []byte
}

func newAuthority(name string) authority {
	GinkgoHelper()
	config, err := crypto.MakeSelfSignedCAConfig(name, time.Hour)
	Expect(err).NotTo(HaveOccurred())
	certificate, _, err := config.GetPEMBytes()
	Expect(err).NotTo(HaveOccurred())
	return authority{&crypto.CA{Config: config, SerialGenerator: &crypto.RandomSerialGenerator{}}, certificate}
}

func (a authority) client(name string) tls.Certificate {
	GinkgoHelper()
	config, err := a.ca.MakeClientCertificateForDuration(&user.DefaultInfo{Name: name}, time.Hour)
	Expect(err).NotTo(HaveOccurred())
	certificate, key, err := config.GetPEMBytes()
	Expect(err).NotTo(HaveOccurred())
	pair, err := tls.X509KeyPair(certificate, key)
	Expect(err).NotTo(HaveOccurred())
	return pair
}

// serving writes a new serving certificate and its key to dir, as tls.crt and tls.key.
func (a authority) serving(dir string) {
	GinkgoHelper()
	config, err := a.ca.MakeServerCert(sets.New("localhost", "127.0.0.1"), time.Hour)
	Expect(err).NotTo(HaveOccurred())
	Expect(config.WriteCertConfigFile(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))).To(Succeed())
}

// writeConfig writes the shipped configuration to dir and returns the file's path. It sets the serving certificate to that in dir, and the
// TLS profile as the CVO does.
func writeConfig(dir, minVersion string, ciphers ...string) string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(env.Root, "manifests", "0000_50_platform-operators_41-configmap.yaml"))
	Expect(err).NotTo(HaveOccurred())
	var shipped corev1.ConfigMap
	Expect(yaml.Unmarshal(content, &shipped)).To(Succeed())
	var config map[string]any
	Expect(yaml.Unmarshal([]byte(shipped.Data["config.yaml"]), &config)).To(Succeed())
	serving, ok := config["servingInfo"].(map[string]any)
	Expect(ok).To(BeTrue(), "the shipped configuration has no servingInfo")
	serving["minTLSVersion"], serving["cipherSuites"] = minVersion, ciphers
	serving["certFile"], serving["keyFile"] = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	written, err := yaml.Marshal(config)
	Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(dir, "config.yaml")
	Expect(os.WriteFile(path, written, 0o600)).To(Succeed())
	return path
}

// handshake returns the state of a TLS connection to the manager, with version, cipher and certificate. It does not verify the certificate.
func handshake(ctx context.Context, config *tls.Config) (tls.ConnectionState, error) {
	config.InsecureSkipVerify = true
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: config}
	connection, err := dialer.DialContext(ctx, "tcp", env.Manager.Address)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState(), nil
}

func acceptedVersions(ctx context.Context) (accepted []uint16) {
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
		var all []uint16
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			all = append(all, suite.ID)
		}
		if _, err := handshake(ctx, &tls.Config{MinVersion: version, MaxVersion: version, CipherSuites: all}); err == nil {
			accepted = append(accepted, version)
		}
	}
	return accepted
}

// acceptedCiphers returns the TLS 1.2 ciphers that the manager accepts, each offered alone.
func acceptedCiphers(ctx context.Context) (accepted []string) {
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if _, err := handshake(ctx, &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}}); err == nil {
			accepted = append(accepted, suite.Name)
		}
	}
	return accepted
}

func servingCertificate(ctx context.Context) (*x509.Certificate, error) {
	state, err := handshake(ctx, &tls.Config{})
	if err != nil {
		return nil, err
	}
	return state.PeerCertificates[0], nil
}

var _ = Describe("the manager's server", func() {
	It("CLU-P6 uses the cluster's TLS profile whatever the adherence, ends when the profile changes, and reloads its certificate", func(ctx context.Context) {
		dir := GinkgoT().TempDir()
		first, second := newAuthority("first"), newAuthority("second")
		first.serving(dir)
		path := writeConfig(dir, string(configv1.VersionTLS13))
		usual := env.Manager
		Expect(usual.Stop()).To(Succeed())
		env.Manager = usual.With("--config", path)
		DeferCleanup(func() {
			Expect(env.Manager.Stop()).To(Succeed())
			env.Manager = usual
			Expect(env.Manager.Start()).To(Succeed())
		})
		all := []uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13}
		for _, profile := range []configv1.TLSProfileType{configv1.TLSProfileOldType, configv1.TLSProfileIntermediateType, configv1.TLSProfileModernType} {
			By(fmt.Sprintf("starting with profile %s", profile))
			spec := configv1.TLSProfiles[profile]
			writeConfig(dir, string(spec.MinTLSVersion), crypto.OpenSSLToIANACipherSuites(spec.Ciphers)...)
			Expect(env.Manager.Stop()).To(Succeed()) // instead of waiting until it notices the change, as below
			Expect(env.Manager.Start()).To(Succeed())
			Eventually(servingCertificate).WithContext(ctx).ShouldNot(BeNil())
			lowest, err := crypto.TLSVersion(string(spec.MinTLSVersion))
			Expect(err).NotTo(HaveOccurred())
			Expect(acceptedVersions(ctx)).To(Equal(all[lowest-tls.VersionTLS10:]))
			if profile == configv1.TLSProfileIntermediateType {
				accepted := acceptedCiphers(ctx)
				Expect(accepted).NotTo(BeEmpty())
				Expect(crypto.OpenSSLToIANACipherSuites(spec.Ciphers)).To(ContainElements(accepted))
			}
		}

		By("changing the profile to one with a single cipher")
		const only = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
		writeConfig(dir, string(configv1.VersionTLS12), only)
		Eventually(env.Manager.Exited()).WithTimeout(20 * time.Second).Should(BeClosed()) // by itself
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(servingCertificate).WithContext(ctx).ShouldNot(BeNil())
		Expect(acceptedCiphers(ctx)).To(Equal([]string{only}))

		By("setting which components have to adhere to the profile")
		apiServers := admin.Config.ConfigV1().APIServers()
		for _, adherence := range []configv1.TLSAdherencePolicy{configv1.TLSAdherencePolicyLegacyAdheringComponentsOnly, configv1.TLSAdherencePolicyStrictAllComponents} {
			patch := fmt.Sprintf(`{"spec":{"tlsAdherence":%q}}`, adherence)
			patched, err := apiServers.Patch(ctx, "cluster", apitypes.MergePatchType, []byte(patch), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
			Expect(patched.Spec.TLSAdherence).To(Equal(adherence))
			Consistently(acceptedCiphers).WithContext(ctx).WithTimeout(2 * time.Second).WithPolling(time.Second).Should(Equal([]string{only}))
		}

		By("replacing its serving certificate")
		Expect(servingCertificate(ctx)).To(HaveField("Issuer.CommonName", "first"))
		second.serving(dir)
		Eventually(servingCertificate).WithContext(ctx).WithTimeout(90 * time.Second).Should(HaveField("Issuer.CommonName", "second"))
		Expect(env.Manager.Exited()).NotTo(BeClosed())
	})
})
