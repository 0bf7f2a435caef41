package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

const (
	// Namespace is the manager's namespace.
	Namespace = "openshift-platform-operators"
	// ServiceAccount is the manager's ServiceAccount.
	ServiceAccount = "platform-operators"

	tokenLifetime = time.Hour
)

// writeIdentity writes a kubeconfig for the manager's ServiceAccount to dir and returns its path. It renews the token in the background
// until ctx ends. server gives the address and the authority of the API server or of a proxy.
func writeIdentity(ctx context.Context, admin, server *rest.Config, dir string) (kubeconfig string, err error) {
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return "", err
	}
	tokenFile := filepath.Join(dir, "manager.token")
	if err := writeToken(ctx, client, tokenFile); err != nil {
		return "", err
	}
	go renewToken(ctx, client, tokenFile)

	config := clientcmdapi.NewConfig()
	config.Clusters["local"] = &clientcmdapi.Cluster{Server: server.Host, CertificateAuthorityData: server.CAData, CertificateAuthority: server.CAFile}
	config.AuthInfos["manager"] = &clientcmdapi.AuthInfo{TokenFile: tokenFile}
	config.Contexts["manager"] = &clientcmdapi.Context{Cluster: "local", AuthInfo: "manager", Namespace: Namespace}
	config.CurrentContext = "manager"
	kubeconfig = filepath.Join(dir, "manager.kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		return "", fmt.Errorf("writing the manager's kubeconfig: %w", err)
	}
	return kubeconfig, nil
}

func renewToken(ctx context.Context, client kubernetes.Interface, path string) {
	ticker := time.NewTicker(tokenLifetime / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := writeToken(ctx, client, path); err != nil {
				klog.Errorf("renewing the manager's token: %v", err)
			}
		}
	}
}

func writeToken(ctx context.Context, client kubernetes.Interface, path string) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: ptr.To(int64(tokenLifetime / time.Second)),
	}}
	token, err := client.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, ServiceAccount, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("requesting a token for ServiceAccount %s/%s: %w", Namespace, ServiceAccount, err)
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(token.Status.Token), 0o600); err != nil {
		return fmt.Errorf("writing the manager's token: %w", err)
	}
	return os.Rename(temporary, path)
}
