package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/cluster"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

// asCommand is the environment variable that makes the test binary run the command, so that tests can kill it as a process.
const asCommand = "LOCALCLUSTER_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// limit is the maximum duration of every wait for a cluster's programs, which usually takes seconds.
const limit = time.Minute

// build builds the cluster's programs before a test starts a cluster. On the first start on a machine it compiles Kubernetes, which takes
// minutes. With -short it skips the test.
func build(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this test starts a cluster, and compiles Kubernetes where that has not been done")
	}
	runCommand(t, "build")
}

func TestClusterHasOpenShiftAPIs(t *testing.T) {
	build(t)
	parent := strconv.Itoa(os.Getpid())
	dirs := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	states := make([]cluster.State, len(dirs))
	var starting sync.WaitGroup
	for i, dir := range dirs {
		t.Cleanup(func() { runCommand(t, "down", "--dir", dir) })
		starting.Go(func() {
			states[i] = decodeState(t, runCommand(t, "up", "--dir", dir, "--parent-pid", parent, "--audit", "-o", "json"))
		})
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	one, two := states[0], states[1]

	t.Run("two clusters run side by side on ports and processes of their own", func(t *testing.T) {
		if one.Server == two.Server || one.Processes[0].PID == two.Processes[0].PID {
			t.Errorf("both are %s with etcd %d", one.Server, one.Processes[0].PID)
		}
		for _, state := range states {
			if address, err := url.Parse(state.Server); err != nil || address.Hostname() != "127.0.0.1" {
				t.Errorf("%s is not on loopback: %v", state.Server, err)
			}
			t.Logf("%s was ready after %.1fs, another one starting beside it", state.Dir, state.ReadyAfterSeconds)
		}
	})
	t.Run("ready.json and status say the same", func(t *testing.T) {
		content, err := os.ReadFile(filepath.Join(one.Dir, "ready.json"))
		if err != nil {
			t.Fatal(err)
		}
		if file, now := decodeState(t, string(content)), decodeState(t, runCommand(t, "status", "--dir", one.Dir, "-o", "json")); fmt.Sprint(file) != fmt.Sprint(now) {
			t.Errorf("file: %v\nstatus: %v", file, now)
		}
	})
	t.Run("the API server is ready and every CRD is established", func(t *testing.T) {
		kubectl(t, one, "get", "--raw", "/readyz")
		kubectl(t, one, "wait", "crd", "--all", "--for=condition=Established", "--timeout=10s")
		for _, name := range []string{
			"clusterversions.config.openshift.io", "clusteroperators.config.openshift.io", "featuregates.config.openshift.io",
			"infrastructures.config.openshift.io", "apiservers.config.openshift.io", "proxies.config.openshift.io",
			"imagedigestmirrorsets.config.openshift.io", "imagetagmirrorsets.config.openshift.io",
			"clusterimagepolicies.config.openshift.io", "imagepolicies.config.openshift.io",
			"imagecontentpolicies.config.openshift.io", "imagecontentsourcepolicies.operator.openshift.io",
			"catalogsources.operators.coreos.com", "subscriptions.operators.coreos.com", "clusterserviceversions.operators.coreos.com",
			"clustercatalogs.olm.operatorframework.io", "clusterextensions.olm.operatorframework.io",
			"servicemonitors.monitoring.coreos.com", "prometheusrules.monitoring.coreos.com",
		} {
			kubectl(t, one, "get", "crd", name)
		}
	})
	t.Run("the objects of the platform describe it", func(t *testing.T) {
		for command, want := range map[string]string{
			"get clusterversion version -o jsonpath={.status.desired.version}":                                         "4.21.0",
			"get clusterversion version -o jsonpath={.status.history[0].state}":                                        "Completed",
			"get featuregate cluster -o jsonpath={.spec.featureSet}/{.status.featureGates[*].version}":                 "TechPreviewNoUpgrade/4.21.0",
			"get infrastructure cluster -o jsonpath={.status.controlPlaneTopology}":                                    "HighlyAvailable",
			"get nodes -l node-role.kubernetes.io/master -o name":                                                      "node/master-0\n",
			"get cm -n kube-system extension-apiserver-authentication -o jsonpath={.data.requestheader-allowed-names}": `["front-proxy-client"]`,
			"auth can-i get secrets -A --as system:serviceaccount:openshift-config:default -q; echo $?":                "1\n",
			"auth can-i get secrets -A -q; echo $?":                                                                    "0\n",
		} {
			if got := shellKubectl(t, one, command); got != want {
				t.Errorf("kubectl %s: got %q, want %q", command, got, want)
			}
		}
	})
	t.Run("a Deployment becomes Available on simulated nodes", func(t *testing.T) {
		kubectl(t, one, "create", "deployment", "fine", "--image=registry.localcluster.test/none", "--replicas=2")
		kubectl(t, one, "wait", "deployment/fine", "--for=condition=Available", "--timeout=30s")
	})
	t.Run("pods labelled never-ready run without becoming Ready", func(t *testing.T) {
		kubectl(t, one, "run", "stuck", "--image=registry.localcluster.test/none", "--labels=localcluster.test/never-ready=true")
		kubectl(t, one, "wait", "pod/stuck", "--for=jsonpath={.status.phase}=Running", "--timeout=30s")
		if got := kubectl(t, one, "get", "pod", "stuck", `-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}`); got != "False" {
			t.Errorf("Ready is %q, want False", got)
		}
		kubectl(t, one, "delete", "pod", "stuck", "--timeout=30s")
	})
	t.Run("the audit log names who did what", func(t *testing.T) {
		content, err := os.ReadFile(one.AuditLog)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"username":"localcluster-admin"`, `"username":"system:serviceaccount:kube-system:deployment-controller"`, `"verb":"create"`} {
			if !strings.Contains(string(content), want) {
				t.Errorf("%s is nowhere in it", want)
			}
		}
	})
	t.Run("set-version moves one cluster and leaves the other", func(t *testing.T) {
		runCommand(t, "set-version", "4.22.3", "--dir", one.Dir)
		for state, want := range map[*cluster.State]string{&one: "4.22.3", &two: "4.21.0"} {
			if got := kubectl(t, *state, "get", "clusterversion", "version", "-o=jsonpath={.status.history[0].version}"); got != want {
				t.Errorf("%s is at %s, want %s", state.Dir, got, want)
			}
		}
		if got := kubectl(t, one, "get", "featuregate", "cluster", "-o=jsonpath={.status.featureGates[*].version}"); got != "4.22.3 4.21.0" {
			t.Errorf("feature gates are known for %q", got)
		}
	})
	t.Run("a kept cluster starts again with what was in it, within ten seconds", func(t *testing.T) {
		runCommand(t, "down", "--dir", two.Dir)
		runCommand(t, "down", "--keep", "--dir", one.Dir)
		if state := decodeState(t, runCommand(t, "status", "--dir", one.Dir, "-o", "json")); state.Running {
			t.Error("status says that it is up after down")
		}
		awaitEnd(t, one)
		again := decodeState(t, runCommand(t, "up", "--dir", one.Dir, "--parent-pid", parent, "-o", "json"))
		kubectl(t, again, "wait", "deployment/fine", "--for=condition=Available", "--timeout=30s")
		if again.OpenShiftVersion != "4.22.3" {
			t.Errorf("it came back as %s, want the version it had", again.OpenShiftVersion)
		}
		t.Logf("ready after %.1fs", again.ReadyAfterSeconds)
		// The promise is ten seconds on two idle cores. The limit only detects a start that hangs.
		if again.ReadyAfterSeconds > 30 {
			t.Errorf("ready after %.1fs", again.ReadyAfterSeconds)
		}
	})
}

func TestProgramsEndWithTheirParent(t *testing.T) {
	build(t)
	t.Run("a foreground cluster ends when its parent is killed", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "c")
		// The shell is the parent. It waits for the command, so that the test can kill the shell.
		parent := exec.CommandContext(t.Context(), "/bin/sh", "-c", `"$0" up --foreground --dir "$1" -o json; exit $?`, self(t), dir)
		state := startForeground(t, parent)
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		awaitEnd(t, state)
	})
	t.Run("every program ends when the supervisor is killed", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "c")
		state := decodeState(t, runCommand(t, "up", "--dir", dir, "--parent-pid", strconv.Itoa(os.Getpid()), "-o", "json"))
		if err := syscall.Kill(state.SupervisorPID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		awaitEnd(t, state)
		runCommand(t, "down", "--dir", dir)
	})
}

func startForeground(t *testing.T, command *exec.Cmd) cluster.State {
	t.Helper()
	command.Env = append(os.Environ(), asCommand+"=1")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr lockedBuilder
	command.Stderr = &stderr
	// The cluster keeps the pipe of stderr open for a moment after its parent is gone.
	command.WaitDelay = limit
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Wait() }) // always an error, because the process was killed
	var state cluster.State
	if err := json.NewDecoder(stdout).Decode(&state); err != nil {
		t.Fatalf("waiting for the cluster: %v; it said: %s", err, stderr.String())
	}
	return state
}

// awaitEnd waits until the supervisor and every program of the cluster have ended, and fails the test after limit.
func awaitEnd(t *testing.T, state cluster.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	pids := map[string]int{"supervisor": state.SupervisorPID}
	for _, p := range state.Processes {
		pids[p.Name] = p.PID
	}
	if len(pids) != 6 {
		t.Errorf("the cluster has %v; want five programs and a supervisor", pids)
	}
	for name, pid := range pids {
		exited, err := process.Exited(ctx, pid)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-exited:
		case <-ctx.Done():
			t.Errorf("%s (process %d) is still there after %s", name, pid, limit)
		}
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runCommand runs the command and returns its stdout. It fails the test, but does not end it, if the command fails. It may be called
// concurrently.
func runCommand(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command(self(t), args...)
	command.Env = append(os.Environ(), asCommand+"=1")
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Errorf("localcluster %s: %v; it said: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(output)
}

func kubectl(t *testing.T, state cluster.State, args ...string) string {
	t.Helper()
	output, err := exec.Command(state.Kubectl, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// shellKubectl runs kubectl in a shell, which splits the line after "kubectl" into arguments, and returns the output. It quotes the special
// characters of JSONPath.
func shellKubectl(t *testing.T, state cluster.State, line string) string {
	t.Helper()
	quoted := strings.NewReplacer("{", "'{'", "}", "'}'", "[", "'['", "]", "']'", "*", "'*'").Replace(line)
	output, err := exec.Command("/bin/sh", "-c", `"$0" `+quoted, state.Kubectl).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v: %s", line, err, output)
	}
	return string(output)
}

func decodeState(t *testing.T, text string) cluster.State {
	t.Helper()
	var state cluster.State
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Errorf("reading %q: %v", text, err)
	}
	return state
}

// lockedBuilder is a strings.Builder for concurrent use.
type lockedBuilder struct {
	lock sync.Mutex
	text strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuilder) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.String()
}
