package environment

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Manager is a platform-operators manager that runs as a separate process. After the process has ended, Start starts a new one.
type Manager struct {
	// LogFile is the file with the manager's output. A restarted manager appends to it.
	LogFile string
	// Address is the host:port at which the manager serves metrics over HTTPS.
	Address string

	binary string
	args   []string
	env    []string // in addition to the environment variables of this process
	temp   string   // the process's folder for temporary files

	command *exec.Cmd
	asked   *atomic.Bool // true once Kill or Stop of this process was called
	ended   string       // the process's final state if it ended on its own; readable once exited is closed
	exited  chan struct{}
}

func newManager(binary, kubeconfig, dir, caFile string, extra []string) (*Manager, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	args := []string{"start",
		"--kubeconfig", kubeconfig,
		"--namespace", Namespace,
		"--listen", address,
		"--content-dir", filepath.Join(dir, "content"),
		"--catalog-ca-file", caFile,
		"--leader-elect=false",
	}
	return &Manager{
		LogFile: filepath.Join(dir, "manager.log"), Address: address,
		binary: binary, args: append(args, extra...), temp: filepath.Join(dir, "manager.tmp"),
	}, nil
}

// asShipped makes the manager run with leader election and in a pod, as its Deployment does. It waits up to a minute for the Deployment's
// pod, which a simulated node runs, and uses that pod's name and UID.
func (m *Manager) asShipped(ctx context.Context, admin *rest.Config) error {
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=platform-operators"})
		if err != nil || len(pods.Items) == 0 {
			return false, err
		}
		m.inPod(Pod{Name: pods.Items[0].Name, UID: pods.Items[0].UID, Dir: filepath.Dir(m.LogFile)})
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the pod of the manager's Deployment: %w", err)
	}
	m.args = slices.DeleteFunc(m.args, func(arg string) bool { return arg == "--leader-elect=false" })
	return nil
}

// Pod describes the pod in which a manager runs. The manager uses it for leader election.
type Pod struct {
	Name string
	UID  types.UID
	// Dir is the folder that stands in for the pod's volume. All managers in the pod share it. Another creates it if it is absent.
	Dir string
}

// inPod passes the pod's name and UID to the manager, and the path of a lock file on the pod's volume.
func (m *Manager) inPod(pod Pod) {
	m.env = append(slices.Clone(m.env), "POD_NAME="+pod.Name, "POD_UID="+string(pod.UID))
	m.args = append(slices.Clone(m.args), "--leader-elect-lock-file="+filepath.Join(pod.Dir, "manager.lock"))
}

// With returns a manager with the same files and address, and with additional arguments that override earlier ones. Only one of the two
// managers may run at a time.
func (m *Manager) With(args ...string) *Manager {
	return &Manager{LogFile: m.LogFile, Address: m.Address, binary: m.binary, args: append(slices.Clone(m.args), args...), env: m.env, temp: m.temp}
}

// Of returns a manager with the same files, address and arguments, but a different binary. Only one of the two managers may run at a time.
func (m *Manager) Of(binary string) *Manager {
	other := m.With()
	other.binary = binary
	return other
}

// WithEnv returns a manager with the same files and address, and with additional environment variables, each as NAME=value. Only one of the
// two managers may run at a time.
func (m *Manager) WithEnv(variables ...string) *Manager {
	other := m.With()
	other.env = append(slices.Clone(m.env), variables...)
	return other
}

// Start starts the process. The previous process must have ended. The process ends, at the latest, when the calling process ends.
func (m *Manager) Start() error {
	log, err := os.OpenFile(m.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the manager's log: %w", err)
	}
	defer log.Close() // the process has its own file descriptor
	// A manager without a serving certificate writes one and its authority to a temporary folder, and never removes the folder.
	temp, err := filepath.Abs(m.temp)
	if err != nil {
		return fmt.Errorf("locating the manager's temporary files: %w", err)
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return fmt.Errorf("making a folder for the manager's temporary files: %w", err)
	}
	m.command = exec.Command(m.binary, m.args...)
	m.command.Env = append(append(m.command.Environ(), "TMPDIR="+temp), m.env...)
	m.command.Stdout, m.command.Stderr = log, log
	m.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	m.exited, m.asked, m.ended = make(chan struct{}), &atomic.Bool{}, ""
	started := make(chan error, 1)
	go func() {
		// The kernel sends Pdeathsig when the thread that forked ends, so that thread must live as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := m.command.Start()
		started <- err
		if err == nil {
			_ = m.command.Wait()   // Ended reports the state, and callers only wait for the end
			_ = os.RemoveAll(temp) // keys that no program needs; Stop's caller removes what is left with the environment's folder
			if !m.asked.Load() {
				m.ended = m.command.ProcessState.String()
			}
			close(m.exited)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting the manager: %w", err)
	}
	return nil
}

// PID returns the process's ID. The manager must have been started.
func (m *Manager) PID() int { return m.command.Process.Pid }

// Exited returns a channel that is closed when the process has ended. It is nil before the first Start, and
// is never closed after a Start that failed.
func (m *Manager) Exited() <-chan struct{} { return m.exited }

// Ended returns how the process ended on its own, with the end of its log. It returns "" while the process runs, and after Kill or Stop. A
// process that ended stays down, because no kubelet restarts it.
func (m *Manager) Ended() string {
	select {
	case <-m.exited:
	default:
		return ""
	}
	if m.ended == "" {
		return ""
	}
	log, err := os.ReadFile(m.LogFile)
	if err != nil {
		return fmt.Sprintf("%s; reading its log: %v", m.ended, err)
	}
	return fmt.Sprintf("%s; its log ends with\n%s", m.ended, log[max(0, len(log)-4096):])
}

// Kill ends the process with SIGKILL, as in a crash, and waits for its end. The manager must have been started.
func (m *Manager) Kill() error {
	m.asked.Store(true)
	if err := m.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-m.exited
	return nil
}

// Stop ends the process with SIGTERM and waits for its end. After 20 seconds it kills the process and returns an error. It does nothing if
// m is nil, if the manager was never started, or if it has ended.
func (m *Manager) Stop() error {
	if m == nil || m.command == nil || m.command.Process == nil {
		return nil
	}
	m.asked.Store(true)
	if err := m.command.Process.Signal(syscall.SIGTERM); err != nil {
		return nil // ended already
	}
	select {
	case <-m.exited:
		return nil
	case <-time.After(20 * time.Second):
		return errors.Join(errors.New("the manager did not end within 20 s of SIGTERM and was killed"), m.Kill())
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
