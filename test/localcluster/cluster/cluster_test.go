package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/kube"
	"github.com/openshift/platform-operators/test/localcluster/pki"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

func TestADirectoryOfSomebodyElseIsNeitherUsedNorRemoved(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Layout{dir}).Claim(); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("Claim: got %v, want an error that names a file", err)
	}
	if err := Down(t.Context(), dir, false); err == nil {
		t.Error("Down: accepted")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestDownOfAClusterThatIsNotThereIsDone(t *testing.T) {
	if err := Down(t.Context(), filepath.Join(t.TempDir(), "absent"), false); err != nil {
		t.Error(err)
	}
}

func TestDownRemovesAStoppedClusterUnlessItIsToBeKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	if err := (Layout{dir}).Claim(); err != nil {
		t.Fatal(err)
	}
	if err := (Layout{dir}).Claim(); err != nil {
		t.Errorf("claiming it again: %v", err)
	}
	for _, keep := range []bool{true, false} {
		if err := Down(t.Context(), dir, keep); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != keep {
			t.Errorf("with keep %t: %v", keep, err)
		}
	}
}

func TestAReadyFileOfAKilledSupervisorDoesNotCount(t *testing.T) {
	dir := t.TempDir()
	layout := Layout{dir}
	if err := layout.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := (State{Running: true, Dir: dir, Server: "https://127.0.0.1:1"}).write(layout.Ready()); err != nil {
		t.Fatal(err)
	}
	state, err := Status(t.Context(), dir)
	if err != nil || state.Running {
		t.Errorf("got running %t, %v", state.Running, err)
	}
	err = SetVersion(t.Context(), dir, "4.22.0", time.Now())
	if err == nil || !strings.Contains(err.Error(), "localcluster up") {
		t.Errorf("SetVersion: got %v, want an error that says how to start the cluster", err)
	}
}

func TestASecondSupervisorIsRefused(t *testing.T) {
	layout := Layout{t.TempDir()}
	if err := layout.Claim(); err != nil {
		t.Fatal(err)
	}
	lock, err := process.TryLock(layout.lockFile())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	err = Run(t.Context(), Options{Dir: layout.Dir, Version: "4.21.0", Programs: everyProgram("/bin/false")}, &strings.Builder{}, func(State) {})
	if err == nil || !strings.Contains(err.Error(), "localcluster status") {
		t.Errorf("got %v, want an error that points to status", err)
	}
}

func TestRunNamesTheProgramThatEndsAndQuotesItsLog(t *testing.T) {
	dir, manifests := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(manifests, "stage-a.yaml"), []byte("kind: Stage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no disk left >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	options := Options{Dir: filepath.Join(dir, "c"), Manifests: manifests, Version: "4.21.0", Programs: everyProgram(broken), Timeout: time.Minute}
	err := Run(t.Context(), options, &strings.Builder{}, func(State) { t.Error("told to be ready") })
	if err == nil || !strings.Contains(err.Error(), "no disk left") || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("got %v, want the program's own words", err)
	}
}

func TestRunChoosesOtherPortsWhenSomebodyCameFirst(t *testing.T) {
	manifests := t.TempDir()
	if err := os.WriteFile(filepath.Join(manifests, "stage-a.yaml"), []byte("kind: Stage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, []byte("#!/bin/sh\necho bind: address already in use >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var progress strings.Builder
	options := Options{Dir: filepath.Join(t.TempDir(), "c"), Manifests: manifests, Version: "4.21.0", Programs: everyProgram(taken), Timeout: time.Minute}
	err := Run(t.Context(), options, &progress, func(State) { t.Error("told to be ready") })
	if !errors.Is(err, errPortTaken) {
		t.Errorf("got %v, want errPortTaken in the end", err)
	}
	if got := strings.Count(progress.String(), "choosing others"); got != portAttempts-1 {
		t.Errorf("chose again %d times, want %d", got, portAttempts-1)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Version: "4.21.0", Workers: 1, Programs: everyProgram("/bin/true")}
	if err := good.validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"a version that is none": func(o *Options) { o.Version = "latest" },
		"fewer than no workers":  func(o *Options) { o.Workers = -1 },
		"too many workers":       func(o *Options) { o.Workers = 101 },
		"a program missing":      func(o *Options) { o.Programs = map[string]string{"etcd": "/bin/true"} },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			change(&bad)
			if err := bad.validate(); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestEveryListenerIsOnLoopback(t *testing.T) {
	layout := Layout{"/c"}
	p := ports{etcd: 20001, etcdPeer: 20002, apiserver: 20003}
	var args []string
	for _, program := range [][]string{layout.etcd(p), layout.apiserver(p, Options{AuditLevel: "Metadata", ServicesSocket: "/c/s"}), layout.controllerManager(), layout.scheduler(), layout.kwok()} {
		args = append(args, program...)
	}
	all := strings.Join(args, "\n")
	for _, want := range []string{"--bind-address=127.0.0.1", "--listen-client-urls=https://127.0.0.1:20001", "--listen-peer-urls=https://127.0.0.1:20002", "--secure-port=20003"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if got := strings.Count(all, "--secure-port=0\n"); got != 2 {
		t.Errorf("%d programs listen nowhere, want the controller manager and the scheduler", got)
	}
	for _, host := range regexp.MustCompile(`https?://([^:/\s]+)`).FindAllStringSubmatch(all, -1) {
		if host[1] != "127.0.0.1" && host[1] != "kubernetes.default.svc" {
			t.Errorf("%s is not loopback", host[0])
		}
	}
}

func TestAssetsAreUsedWhereTheyAreThere(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"etcd": 0o755, "kube-apiserver": 0o644, "kubelet": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	found := FindAssets(dir)
	if len(found) != 1 || found["etcd"] != filepath.Join(dir, "etcd") {
		t.Errorf("found %v; want etcd only: kube-apiserver cannot be run, kubelet is not wanted", found)
	}
	for _, none := range []string{"", filepath.Join(dir, "absent")} {
		if found := FindAssets(none); len(found) != 0 {
			t.Errorf("in %q: found %v", none, found)
		}
	}
}

func TestTheKubectlLauncherIgnoresAnotherClustersKubeconfig(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's here")
	layout := Layout{dir}
	if err := layout.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := layout.makeDirectories(); err != nil {
		t.Fatal(err)
	}
	fake := filepath.Join(t.TempDir(), "fake")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho \"$KUBECONFIG|$1|$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := layout.link(map[string]string{"kubectl": fake}); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(layout.Kubectl(), "get", "a b")
	command.Env = append(os.Environ(), "KUBECONFIG=/somewhere/else")
	got, err := command.Output()
	if want := layout.Kubeconfig() + "|get|a b\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestAuditLevelsAreKnownOnes(t *testing.T) {
	layout := Layout{t.TempDir()}
	if err := layout.writeAuditPolicy("Everything"); err == nil {
		t.Error("accepted")
	}
	for _, level := range append(AuditLevels(), "") {
		if err := layout.writeAuditPolicy(level); err != nil {
			t.Errorf("%q: %v", level, err)
		}
	}
}

func TestPollWaitsForWhatMayPassAndStopsAtWhatDoesNot(t *testing.T) {
	calls := 0
	err := poll(t.Context(), "the third answer", func(context.Context) error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("got %v after %d calls, want none after 3", err, calls)
	}
	refused := errors.New("refused")
	err = poll(t.Context(), "nothing", func(context.Context) error { return fatal{refused} })
	if !errors.Is(err, refused) {
		t.Errorf("got %v, want the refusal", err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errPortTaken)
	err = poll(ended, "anything", func(context.Context) error { return errors.New("not yet") })
	if !errors.Is(err, errPortTaken) || !strings.Contains(err.Error(), "anything") {
		t.Errorf("got %v, want the reason the wait was ended for, and what for", err)
	}
}

func TestTransient(t *testing.T) {
	for code, want := range map[int]bool{404: true, 409: true, 429: true, 500: true, 503: true, 400: false, 403: false, 422: false} {
		if got := transient(fmt.Errorf("applying: %w", &kube.StatusError{Code: code})); got != want {
			t.Errorf("transient(HTTP %d) = %t, want %t", code, got, want)
		}
	}
	if !transient(errors.New("connection refused")) {
		t.Error("an answer that did not come is for good")
	}
}

func TestEveryKubeconfigHasACertificate(t *testing.T) {
	layout := Layout{t.TempDir()}
	if err := pki.Ensure(layout.path("pki"), serviceIP(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := layout.writeKubeconfig("https://127.0.0.1:1", "admin"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(layout.Kubeconfig())
	if err != nil || !strings.Contains(string(content), "client-key-data: ") || strings.Contains(string(content), layout.Dir) {
		t.Errorf("kubeconfig %q, %v: want the key inside and no path", content, err)
	}
	if err := layout.writeKubeconfig("https://127.0.0.1:1", "nobody"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("for a user without certificate: got %v", err)
	}
}

func everyProgram(path string) map[string]string {
	programs := map[string]string{}
	for _, name := range Programs() {
		programs[name] = path
	}
	return programs
}

func TestServicesAreReachedThroughTheSocketAndByNothingElse(t *testing.T) {
	layout := Layout{t.TempDir()}
	if err := layout.writeEgress("/run/services.sock"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(layout.path("egress.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"cluster"`, `"proxyProtocol":"HTTPConnect"`, `"udsName":"/run/services.sock"`} {
		if !strings.Contains(string(content), want) {
			t.Errorf("%s is missing in %s", want, content)
		}
	}
	const flag = "--egress-selector-config-file="
	if got := strings.Join(layout.apiserver(ports{}, Options{ServicesSocket: "/run/services.sock"}), "\n"); !strings.Contains(got, flag+layout.path("egress.yaml")) {
		t.Errorf("the API server is not told of it: %s", got)
	}
	if got := strings.Join(layout.apiserver(ports{}, Options{}), "\n"); strings.Contains(got, flag) {
		t.Errorf("the API server is told of it without being asked to: %s", got)
	}
	for name, socket := range map[string]string{
		"a relative path":                      "services.sock",
		"a path that is too long for a socket": "/" + strings.Repeat("x", maxSocketPath),
	} {
		t.Run(name, func(t *testing.T) {
			if err := layout.writeEgress(socket); err == nil || !strings.Contains(err.Error(), "absolute path of at most") {
				t.Errorf("got %v, want an error that says what a socket's path must be", err)
			}
		})
	}
}
