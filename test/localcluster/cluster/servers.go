package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/openshift/platform-operators/test/localcluster/pki"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

// Programs returns the names of all programs. Run starts all except kubectl.
func Programs() []string {
	return []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"}
}

// FindAssets returns the paths of the executable programs in dir, keyed by name. The map is empty if dir is empty or does not exist.
func FindAssets(dir string) map[string]string {
	found := map[string]string{}
	if dir == "" {
		return found
	}
	for _, name := range Programs() {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found[name] = path
		}
	}
	return found
}

// ports are the ports of a cluster on 127.0.0.1. The controller manager, the scheduler and kwok listen on no port.
type ports struct{ etcd, etcdPeer, apiserver int }

func choosePorts() (ports, error) {
	free, err := process.FreePorts(3)
	if err != nil {
		return ports{}, err
	}
	return ports{etcd: free[0], etcdPeer: free[1], apiserver: free[2]}, nil
}

func loopback(port int) string { return fmt.Sprintf("https://127.0.0.1:%d", port) }

// serviceNetwork is the network of the Services' addresses, which is OpenShift's default. serviceIP is its first address, which belongs to
// the kubernetes Service.
const serviceNetwork = "172.30.0.0/16"

func serviceIP() net.IP { return net.IPv4(172, 30, 0, 1) }

func (l Layout) etcd(p ports) []string {
	client, peer := loopback(p.etcd), loopback(p.etcdPeer)
	return []string{
		"--name=localcluster",
		"--data-dir=" + l.path("etcd"),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=localcluster=" + peer,
		// fsync is slow, and test data need not survive a power failure.
		"--unsafe-no-fsync",
		"--client-cert-auth",
		"--trusted-ca-file=" + l.pki(pki.EtcdCA+".crt"),
		"--cert-file=" + l.pki("etcd.crt"),
		"--key-file=" + l.pki("etcd.key"),
		"--peer-client-cert-auth",
		"--peer-trusted-ca-file=" + l.pki(pki.EtcdCA+".crt"),
		"--peer-cert-file=" + l.pki("etcd.crt"),
		"--peer-key-file=" + l.pki("etcd.key"),
	}
}

func (l Layout) apiserver(p ports, o Options) []string {
	args := []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(p.apiserver),
		// The endpoints of the kubernetes Service must not be loopback addresses, and no pod needs them.
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + l.pki("apiserver.crt"),
		"--tls-private-key-file=" + l.pki("apiserver.key"),
		"--client-ca-file=" + l.pki(pki.ClusterCA+".crt"),
		"--etcd-servers=" + loopback(p.etcd),
		"--etcd-cafile=" + l.pki(pki.EtcdCA+".crt"),
		"--etcd-certfile=" + l.pki("apiserver-etcd-client.crt"),
		"--etcd-keyfile=" + l.pki("apiserver-etcd-client.key"),
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		// As on OpenShift, setting an owner with blockOwnerDeletion requires permission to update the owner's finalizers.
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
		"--service-cluster-ip-range=" + serviceNetwork,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + l.pki(pki.ServiceAccountKey+".pub"),
		"--service-account-signing-key-file=" + l.pki(pki.ServiceAccountKey+".key"),
		"--requestheader-client-ca-file=" + l.pki(pki.FrontProxyCA+".crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + l.pki("front-proxy-client.crt"),
		"--proxy-client-key-file=" + l.pki("front-proxy-client.key"),
		"--profiling=false",
	}
	if o.ServicesSocket != "" {
		args = append(args, "--egress-selector-config-file="+l.path("egress.yaml"))
	}
	if o.AuditLevel != "" {
		args = append(args,
			"--audit-policy-file="+l.path("audit-policy.yaml"),
			"--audit-log-path="+l.AuditLog(),
			"--audit-log-maxsize=500",
			"--audit-log-maxbackup=1",
		)
	}
	return args
}

// AuditLevels returns the permitted values of Options.AuditLevel, apart from the empty value.
func AuditLevels() []string { return []string{"Metadata", "Request", "RequestResponse"} }

func (l Layout) writeAuditPolicy(level string) error {
	if level == "" {
		return nil
	}
	if !slices.Contains(AuditLevels(), level) {
		return fmt.Errorf("writing the audit policy: %q is no audit level; choose one of %v", level, AuditLevels())
	}
	policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: " + level + "\n"
	if err := os.WriteFile(l.path("audit-policy.yaml"), []byte(policy), 0o600); err != nil {
		return fmt.Errorf("writing the audit policy: %w", err)
	}
	return nil
}

// maxSocketPath is the maximum length of a Unix socket's path on Linux, in bytes, without the terminating byte.
const maxSocketPath = 107

// writeEgress writes the configuration with which the API server connects to Services through a socket, because there is no pod network. It
// writes nothing if socket is empty.
func (l Layout) writeEgress(socket string) error {
	if socket == "" {
		return nil
	}
	if !filepath.IsAbs(socket) || len(socket) > maxSocketPath {
		return fmt.Errorf("using %q as the socket that Services are reached by: it must be an absolute path of at most %d bytes", socket, maxSocketPath)
	}
	content, err := json.Marshal(map[string]any{
		"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration",
		"egressSelections": []any{map[string]any{"name": "cluster", "connection": map[string]any{
			"proxyProtocol": "HTTPConnect",
			"transport":     map[string]any{"uds": map[string]any{"udsName": socket}},
		}}},
	})
	if err != nil {
		return fmt.Errorf("writing how Services are reached: %w", err)
	}
	if err := os.WriteFile(l.path("egress.yaml"), content, 0o600); err != nil {
		return fmt.Errorf("writing how Services are reached: %w", err)
	}
	return nil
}

func (l Layout) controllerManager() []string {
	return []string{
		"--kubeconfig=" + l.kubeconfigOf("kube-controller-manager"),
		"--service-account-private-key-file=" + l.pki(pki.ServiceAccountKey+".key"),
		"--root-ca-file=" + l.pki(pki.ClusterCA+".crt"),
		"--cluster-signing-cert-file=" + l.pki(pki.ClusterCA+".crt"),
		"--cluster-signing-key-file=" + l.pki(pki.ClusterCA+".key"),
		// Each controller uses its own ServiceAccount, so that RBAC and the audit log are as on a real cluster.
		"--use-service-account-credentials=true",
		"--leader-elect=false",
		"--secure-port=0",
		// The default client limits of 20 and 30 requests per second would make the start slow.
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}

func (l Layout) scheduler() []string {
	return []string{
		"--kubeconfig=" + l.kubeconfigOf("kube-scheduler"),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}

func (l Layout) kwok() []string {
	return []string{
		"--kubeconfig=" + l.kubeconfigOf("kwok"),
		"--config=" + l.path("stages.yaml"),
		"--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
		"--node-lease-duration-seconds=40",
		// The address at which clients would read the logs of nodes. No process listens there.
		"--node-ip=127.0.0.1",
		"--cidr=10.128.0.1/16",
	}
}
