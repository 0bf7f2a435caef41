package builtin

import (
	"crypto/tls"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// warnOfKeyPair returns a warning if the certificate and the key of a TLS Secret are invalid or do not match. It returns nil for Secrets of
// other types.
func warnOfKeyPair(object runtime.Object) []string {
	secret := object.(*corev1.Secret)
	if secret.Type != corev1.SecretTypeTLS {
		return nil
	}
	if _, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return []string{err.Error()}
	}
	return nil
}
