package cluster

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"

	"github.com/openshift/platform-operators/test/localcluster/kube"
	"github.com/openshift/platform-operators/test/localcluster/pki"
)

// Layout gives the paths of a cluster's files below its directory.
type Layout struct{ Dir string }

func (l Layout) path(elements ...string) string {
	return filepath.Join(append([]string{l.Dir}, elements...)...)
}

// Kubeconfig returns the path of the administrator's kubeconfig.
func (l Layout) Kubeconfig() string { return l.path("kubeconfig") }

// Kubectl returns the path of a script that runs kubectl for this cluster, whatever KUBECONFIG is set to.
func (l Layout) Kubectl() string { return l.path("kubectl") }

// Ready returns the path of the file that exists while the cluster is ready. It contains a State.
func (l Layout) Ready() string { return l.path("ready.json") }

// AuditLog returns the path of the API server's audit log.
func (l Layout) AuditLog() string { return l.path("audit.log") }

// Log returns the path of a program's log.
func (l Layout) Log(program string) string { return l.path("logs", program+".log") }

func (l Layout) lockFile() string { return l.path("lock") }
func (l Layout) marker() string   { return l.path(".localcluster") }

func (l Layout) pki(name string) string     { return l.path("pki", name) }
func (l Layout) program(name string) string { return l.path("bin", name) }

func (l Layout) kubeconfigOf(user string) string {
	if user == "admin" {
		return l.Kubeconfig()
	}
	return l.path("pki", user+".kubeconfig")
}

// Claim creates the directory and marks it as belonging to a cluster. It returns an error if the directory contains other files, because
// Down deletes the directory.
func (l Layout) Claim() error {
	if err := l.owned(); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return fmt.Errorf("creating cluster directory %q: %w", l.Dir, err)
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		return fmt.Errorf("reading cluster directory %q: %w", l.Dir, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("using %q for a cluster: it holds files that are no cluster's (%q for one); choose an empty or new directory with --dir", l.Dir, entries[0].Name())
	}
	if err := os.WriteFile(l.marker(), []byte("This directory belongs to a local cluster; localcluster down removes it.\n"), 0o600); err != nil {
		return fmt.Errorf("claiming cluster directory %q: %w", l.Dir, err)
	}
	return nil
}

// owned returns an error unless Claim marked the directory. The error wraps fs.ErrNotExist if the mark is missing.
func (l Layout) owned() error {
	if _, err := os.Stat(l.marker()); err != nil {
		return fmt.Errorf("looking for a cluster in %q: %w", l.Dir, err)
	}
	return nil
}

func (l Layout) makeDirectories() error {
	for _, name := range []string{"bin", "logs", "etcd", "pki"} {
		if err := os.MkdirAll(l.path(name), 0o700); err != nil {
			return fmt.Errorf("creating a directory of the cluster: %w", err)
		}
	}
	return nil
}

// link creates bin/<program> as links to the binaries, and the kubectl script.
func (l Layout) link(programs map[string]string) error {
	for name, binary := range programs {
		if err := os.Remove(l.program(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("linking %s: %w", name, err)
		}
		if err := os.Symlink(binary, l.program(name)); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	// The script sets KUBECONFIG, so that a command cannot reach another cluster. It works with any kubectl.
	script := fmt.Sprintf("#!/bin/sh\nKUBECONFIG=%s exec %s \"$@\"\n", shellQuote(l.Kubeconfig()), shellQuote(l.program("kubectl")))
	if err := os.WriteFile(l.Kubectl(), []byte(script), 0o755); err != nil {
		return fmt.Errorf("writing the kubectl launcher: %w", err)
	}
	return nil
}

func shellQuote(s string) string {
	return "'" + string(bytes.ReplaceAll([]byte(s), []byte("'"), []byte(`'\''`))) + "'"
}

var kubeconfigTemplate = template.Must(template.New("kubeconfig").Parse(`apiVersion: v1
kind: Config
clusters:
- name: localcluster
  cluster:
    server: {{ .Server }}
    certificate-authority-data: {{ .CA }}
users:
- name: {{ .User }}
  user:
    client-certificate-data: {{ .Cert }}
    client-key-data: {{ .Key }}
contexts:
- name: localcluster
  context: {cluster: localcluster, user: {{ .User }}}
current-context: localcluster
`))

// writeKubeconfig writes a user's kubeconfig. It includes the certificates, so that the file can be copied.
func (l Layout) writeKubeconfig(server, user string) error {
	values := map[string]string{"Server": server, "User": user}
	for field, file := range map[string]string{"CA": pki.ClusterCA + ".crt", "Cert": user + ".crt", "Key": user + ".key"} {
		content, err := os.ReadFile(l.pki(file))
		if err != nil {
			return fmt.Errorf("writing the kubeconfig of %q: %w", user, err)
		}
		values[field] = base64.StdEncoding.EncodeToString(content)
	}
	var content bytes.Buffer
	if err := kubeconfigTemplate.Execute(&content, values); err != nil {
		return fmt.Errorf("writing the kubeconfig of %q: %w", user, err)
	}
	if err := os.WriteFile(l.kubeconfigOf(user), content.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig of %q: %w", user, err)
	}
	return nil
}

func (l Layout) client(server string) (*kube.Client, error) {
	return kube.New(server, l.pki(pki.ClusterCA+".crt"), l.pki("admin.crt"), l.pki("admin.key"))
}
