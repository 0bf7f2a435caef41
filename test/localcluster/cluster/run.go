// Package cluster runs one local cluster in one directory. It starts the programs in order, creates OpenShift's objects, and reports when
// the cluster is ready. It stops the programs when its context ends, when a program ends, or when this process ends. It defines the
// flags of the programs and the files of the directory. Package binaries provides the programs.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/furniture"
	"github.com/openshift/platform-operators/test/localcluster/kube"
	"github.com/openshift/platform-operators/test/localcluster/pki"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

const (
	// programGrace is the time for which Run waits after SIGTERM before it kills a program. Without the kill, the API server would wait
	// longer for watches to end.
	programGrace = 2 * time.Second
	// stopTimeout is the time for which Down waits after SIGTERM before it kills the supervisor. The supervisor stops the programs one
	// after the other.
	stopTimeout = 8 * programGrace
	// portAttempts is the maximum number of attempts to start with free ports. Other processes may take a chosen port.
	portAttempts = 3
)

// Options configure a cluster.
type Options struct {
	Dir         string            // absolute
	Manifests   string            // directory with the files of furniture.Manifests
	Programs    map[string]string // path of each of Programs()
	Version     string            // of OpenShift
	MoveVersion bool              // if true, an existing cluster gets Version; otherwise it keeps its version
	Workers     int
	AuditLevel  string // one of AuditLevels, or empty for no audit log
	// ServicesSocket is the Unix socket of an HTTP CONNECT proxy through which the API server reaches Services; empty for none.
	ServicesSocket string
	Timeout        time.Duration // from start to ready
}

func (o Options) validate() error {
	for _, name := range Programs() {
		if o.Programs[name] == "" {
			return fmt.Errorf("starting a cluster: no path of program %q", name)
		}
	}
	const maxWorkers = 100
	if o.Workers < 0 || o.Workers > maxWorkers {
		return fmt.Errorf("starting a cluster with %d workers: choose 0 to %d", o.Workers, maxWorkers)
	}
	return furniture.CheckVersion(o.Version)
}

// Run starts the cluster, calls ready, and blocks until ctx ends or a program ends. It returns nil only if ctx ends after the cluster was
// ready and all programs were stopped. It writes progress to out. All programs have ended when it returns.
func Run(ctx context.Context, o Options, out io.Writer, ready func(State)) error {
	if err := o.validate(); err != nil {
		return err
	}
	layout := Layout{o.Dir}
	if err := layout.Claim(); err != nil {
		return err
	}
	lock, err := process.TryLock(layout.lockFile())
	if errors.Is(err, process.ErrLocked) {
		return fmt.Errorf("starting a cluster in %q: one is running or starting there; see: localcluster status --dir %s", o.Dir, o.Dir)
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := layout.prepare(o); err != nil {
		return err
	}
	r := &run{options: o, Layout: layout, keeper: process.NewKeeper(), out: out, started: time.Now()}
	for attempt := 1; ; attempt++ {
		err := r.once(ctx, ready)
		if !errors.Is(err, errPortTaken) || attempt == portAttempts {
			return err
		}
		fmt.Fprintf(out, "somebody else came first to a port; choosing others\n")
	}
}

// prepare writes all files of the cluster that do not depend on ports.
func (l Layout) prepare(o Options) error {
	// A killed supervisor may have left the file.
	if err := os.RemoveAll(l.Ready()); err != nil {
		return err
	}
	if err := l.writeSupervisor(os.Getpid()); err != nil {
		return err
	}
	if err := l.makeDirectories(); err != nil {
		return err
	}
	if err := l.link(o.Programs); err != nil {
		return err
	}
	if err := pki.Ensure(l.path("pki"), serviceIP(), time.Now()); err != nil {
		return err
	}
	if err := l.writeAuditPolicy(o.AuditLevel); err != nil {
		return err
	}
	if err := l.writeEgress(o.ServicesSocket); err != nil {
		return err
	}
	stages, err := furniture.Stages(o.Manifests)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.path("stages.yaml"), stages, 0o600); err != nil {
		return fmt.Errorf("writing kwok's stages: %w", err)
	}
	return nil
}

type run struct {
	Layout
	options Options
	keeper  *process.Keeper
	out     io.Writer
	started time.Time
}

// once chooses ports, runs the programs until ctx ends or a program ends, and stops them. It calls ready when the cluster is ready.
func (r *run) once(ctx context.Context, ready func(State)) (err error) {
	alive, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() {
		err = errors.Join(err, os.RemoveAll(r.Ready()), r.keeper.Stop(programGrace))
	}()
	state, err := r.start(alive, cancel)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("starting a cluster in %q: interrupted: %w", r.Dir, context.Cause(ctx))
		}
		return fmt.Errorf("starting a cluster in %q: %w", r.Dir, err)
	}
	ready(state)
	<-alive.Done()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("running the cluster in %q: %w", r.Dir, context.Cause(alive))
}

// start starts all programs, applies the objects, and returns when the cluster is ready. It calls cancel with the reason when a program
// ends, even after start has returned.
func (r *run) start(alive context.Context, cancel context.CancelCauseFunc) (State, error) {
	ctx, stop := context.WithTimeoutCause(alive, r.options.Timeout, fmt.Errorf("not ready after %s; the programs' logs are in %s", r.options.Timeout, r.path("logs")))
	defer stop()
	ports, err := choosePorts()
	if err != nil {
		return State{}, err
	}
	server := loopback(ports.apiserver)
	for _, user := range []string{"admin", "kube-controller-manager", "kube-scheduler", "kwok"} {
		if err := r.writeKubeconfig(server, user); err != nil {
			return State{}, err
		}
	}
	client, err := r.client(server)
	if err != nil {
		return State{}, err
	}
	if err := r.spawn(cancel, program{"etcd", r.etcd(ports)}, program{"kube-apiserver", r.apiserver(ports, r.options)}); err != nil {
		return State{}, err
	}
	err = poll(ctx, "the API server", func(ctx context.Context) error {
		_, err := client.Raw(ctx, "/readyz")
		return err
	})
	if err != nil {
		return State{}, err
	}
	fmt.Fprintf(r.out, "API server ready after %.1fs at %s\n", time.Since(r.started).Seconds(), server)
	if err := r.spawn(cancel, program{"kube-controller-manager", r.controllerManager()}, program{"kube-scheduler", r.scheduler()}, program{"kwok", r.kwok()}); err != nil {
		return State{}, err
	}
	if err := r.furnish(ctx, client, server); err != nil {
		return State{}, err
	}
	return r.finish(ctx, client, server)
}

type program struct {
	name string
	args []string
}

// errPortTaken is the error after which Run tries other ports: a program could not listen because another process uses the port.
var errPortTaken = errors.New("a port was taken")

// moreMemoryForLessCPU is an environment variable for Go programs. They then collect garbage when the heap has grown fourfold instead of
// twofold, because processor time is scarcer than memory.
const moreMemoryForLessCPU = "GOGC=300"

func (r *run) spawn(cancel context.CancelCauseFunc, programs ...program) error {
	for _, p := range programs {
		child, err := r.keeper.Start(process.Spec{
			Name: p.name,
			Path: r.program(p.name),
			Args: p.args,
			// The environment is minimal, because proxies, KUBECONFIG, feature switches and kwok's settings in the home
			// directory must not affect the cluster.
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir, "TMPDIR=" + os.TempDir(), moreMemoryForLessCPU},
			Log: r.Log(p.name),
		})
		if err != nil {
			return err
		}
		go func() {
			<-child.Done()
			tail := logTail(child.Spec.Log)
			reason := fmt.Errorf("%s ended (%s); end of %s: %s", p.name, fmt.Sprint(child.Err()), child.Spec.Log, tail)
			if strings.Contains(tail, "address already in use") {
				reason = fmt.Errorf("%w: %w", errPortTaken, reason)
			}
			cancel(reason)
		}()
	}
	return nil
}

// logTail returns the end of a log on one line, truncated, for an error message.
func logTail(file string) string {
	const limit = 1500
	content, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	text := strings.Join(lines[max(0, len(lines)-8):], " | ")
	if len(text) > limit {
		text = "…" + strings.ToValidUTF8(text[len(text)-limit:], "")
	}
	return text
}

func (r *run) furnish(ctx context.Context, client *kube.Client, server string) error {
	crds, err := furniture.CRDs(r.options.Manifests)
	if err != nil {
		return err
	}
	objects, err := furniture.Objects(r.options.Manifests, furniture.Values{
		Version: r.options.Version, ClusterID: uuid(), Server: server, Workers: r.options.Workers, Now: r.started.UTC().Format(time.RFC3339),
	})
	if err != nil {
		return err
	}
	if err := r.keepClusterID(ctx, client, objects); err != nil {
		return err
	}
	if err := furnish(ctx, client, append(crds, objects...)); err != nil {
		return err
	}
	if r.options.MoveVersion {
		return moveVersion(ctx, client, r.options.Version, r.started)
	}
	return nil
}

// keepClusterID replaces the ClusterVersion's spec in objects with the existing spec of a restarted cluster, which contains the cluster ID.
// It does nothing for a new cluster.
func (r *run) keepClusterID(ctx context.Context, client *kube.Client, objects []furniture.Object) error {
	live, err := client.Get(ctx, path(clusterVersionKind, "version"))
	if kube.NotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, object := range objects {
		if object["kind"] == "ClusterVersion" {
			object["spec"] = live["spec"]
		}
	}
	return nil
}

// finish waits for objects that controllers create, and writes and returns the state of the ready cluster.
func (r *run) finish(ctx context.Context, client *kube.Client, server string) (State, error) {
	for what, at := range map[string]string{
		"the default service account":          kube.Path("v1", "serviceaccounts", "default", "default"),
		"what extension API servers trust":     kube.Path("v1", "configmaps", "kube-system", "extension-apiserver-authentication"),
		"the service accounts of the platform": kube.Path("v1", "serviceaccounts", "openshift-config", "default"),
	} {
		err := poll(ctx, what, func(ctx context.Context) error {
			_, err := client.Get(ctx, at)
			return err
		})
		if err != nil {
			return State{}, err
		}
	}
	version, err := client.Get(ctx, "/version")
	if err != nil {
		return State{}, err
	}
	clusterVersion, err := client.Get(ctx, path(clusterVersionKind, "version"))
	if err != nil {
		return State{}, err
	}
	kubernetes, _ := version["gitVersion"].(string)
	state := State{
		Running: true, Dir: r.Dir, Server: server, Kubeconfig: r.Kubeconfig(), Kubectl: r.Kubectl(),
		OpenShiftVersion: desiredVersion(clusterVersion), KubernetesVersion: kubernetes,
		SupervisorPID: os.Getpid(), StartedAt: r.started.UTC(), ReadyAfterSeconds: time.Since(r.started).Round(time.Millisecond).Seconds(),
	}
	if r.options.AuditLevel != "" {
		state.AuditLog = r.AuditLog()
	}
	state.ServicesSocket = r.options.ServicesSocket
	for _, child := range r.keeper.Children() {
		state.Processes = append(state.Processes, Process{Name: child.Spec.Name, PID: child.PID, Binary: r.options.Programs[child.Spec.Name], Log: child.Spec.Log})
	}
	return state, state.write(r.Ready())
}

// uuid returns a random UUID, version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
