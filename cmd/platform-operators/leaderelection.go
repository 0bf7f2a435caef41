package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	clientelection "k8s.io/client-go/tools/leaderelection"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/library-go/pkg/config/client"
	electionconfig "github.com/openshift/library-go/pkg/config/leaderelection"

	"github.com/openshift/platform-operators/pkg/leaderelection"
)

const (
	// leaseName is the name of the Lease for leader election.
	leaseName = component + "-lock"
	// requestTimeout is the timeout of each request for the Lease before leader election starts.
	requestTimeout = 5 * time.Second
)

// leaderElection holds the flags for leader election. A zero duration means library-go's default, which depends on the control plane
// topology.
type leaderElection struct {
	enabled                                   bool
	leaseDuration, renewDeadline, retryPeriod time.Duration
	// lockFile is a file on a volume of the Pod; empty if the manager does not run in a Pod. pod identifies the Pod.
	lockFile string
	pod      leaderelection.Pod
}

func (e *leaderElection) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&e.enabled, "leader-elect", true,
		"Hold a lease before doing anything, so that one manager acts at a time. Turn it off only where nothing else can run.")
	flags.DurationVar(&e.leaseDuration, "leader-elect-lease-duration", 0,
		"How long a manager that does not renew its lease keeps it. Zero means as OpenShift has it: 137s, on a single node 270s. All three durations or none.")
	flags.DurationVar(&e.renewDeadline, "leader-elect-renew-deadline", 0,
		"How long a manager tries to renew its lease before it ends. Zero means 107s, on a single node 240s.")
	flags.DurationVar(&e.retryPeriod, "leader-elect-retry-period", 0,
		"How long a manager waits at least between two tries to get or renew the lease. Zero means 26s, on a single node 60s.")
	flags.StringVar(&e.lockFile, "leader-elect-lock-file", "",
		"File on a volume of the manager's pod, which one process at a time locks. With it a manager takes over the lease of the process that ran before it in the same pod at once, instead of waiting until that lease runs out. It needs the environment variables POD_NAME and POD_UID. Empty outside of a pod.")
}

// validate returns an error for flags that would make leader election fail later.
func (e *leaderElection) validate() error {
	return errors.Join(e.validateLockFile(), e.validateTimings())
}

func (e *leaderElection) validateLockFile() error {
	switch {
	case e.lockFile == "":
		return nil
	case !filepath.IsAbs(e.lockFile):
		return fmt.Errorf("--leader-elect-lock-file is %q, which is not an absolute path", e.lockFile)
	case e.pod.Name == "" || e.pod.UID == "":
		return errors.New("--leader-elect-lock-file requires the environment variables POD_NAME and POD_UID: set them to the pod's metadata.name and metadata.uid, or leave the flag out")
	}
	return nil
}

func (e *leaderElection) validateTimings() error {
	if e.leaseDuration == 0 && e.renewDeadline == 0 && e.retryPeriod == 0 {
		return nil
	}
	given := fmt.Sprintf("--leader-elect-lease-duration=%s, --leader-elect-renew-deadline=%s, --leader-elect-retry-period=%s",
		e.leaseDuration, e.renewDeadline, e.retryPeriod)
	switch {
	case e.leaseDuration <= 0 || e.renewDeadline <= 0 || e.retryPeriod <= 0:
		return fmt.Errorf("%s: set all three to more than 0, or none", given)
	case e.leaseDuration < time.Second:
		return fmt.Errorf("%s: the lease duration must be at least 1s", given)
	case e.leaseDuration <= e.renewDeadline:
		return fmt.Errorf("%s: the lease duration must be greater than the renew deadline", given)
	case float64(e.renewDeadline) <= clientelection.JitterFactor*float64(e.retryPeriod):
		return fmt.Errorf("%s: the renew deadline must be greater than %v times the retry period", given, clientelection.JitterFactor)
	}
	return nil
}

func (e *leaderElection) applyTo(config *configv1.LeaderElection) {
	config.Disable = !e.enabled
	config.LeaseDuration = metav1.Duration{Duration: e.leaseDuration}
	config.RenewDeadline = metav1.Duration{Duration: e.renewDeadline}
	config.RetryPeriod = metav1.Duration{Duration: e.retryPeriod}
}

// stallLimit returns the time for which a leader may stall and still hold its Lease: the lease duration minus the renew deadline, because a
// leader that cannot renew its Lease gives up only at the renew deadline. Without leader election, it returns 0. A single-node control
// plane has the same limit, because library-go adds the same time to both durations.
func stallLimit(config configv1.LeaderElection, namespace string) time.Duration {
	if config.Disable {
		return 0
	}
	config = electionconfig.LeaderElectionDefaulting(config, namespace, leaseName) // as the builder does
	return config.LeaseDuration.Duration - config.RenewDeadline.Duration
}

// candidacy is the state of this process in leader election.
type candidacy struct {
	// identity is the holder identity. It is empty outside of a Pod and without leader election; library-go then generates one.
	identity string
	// tookOver is true if the process has taken over the Lease of an earlier process in the same Pod.
	tookOver bool
	// lock is the locked file on the Pod's volume. It is nil outside of a Pod and without leader election. Closing it, or the end of the
	// process, unlocks it.
	lock *os.File
}

// prepare prepares leader election in a Pod: it locks the lock file, and takes over the Lease of an earlier process in the same Pod. It
// returns a zero candidacy outside of a Pod and without leader election. It returns an error if another manager runs in the same Pod. The
// caller must close the lock.
func (e *leaderElection) prepare(ctx context.Context, lease configv1.LeaderElection, flags controllerFlags, clock clock.PassiveClock) (candidacy, error) {
	if e.lockFile == "" || !e.enabled {
		return candidacy{}, nil
	}
	config, err := configclient.GetKubeConfigOrInClusterConfig(flags.kubeconfig, nil)
	if err != nil {
		return candidacy{}, fmt.Errorf("reading the client configuration: %w", err)
	}
	config.Timeout = requestTimeout
	client, err := coordinationclient.NewForConfig(config)
	if err != nil {
		return candidacy{}, fmt.Errorf("building the client of leases: %w", err)
	}
	lock, err := leaderelection.LockFile(e.lockFile)
	locked := !errors.Is(err, leaderelection.ErrLocked)
	if locked && err != nil {
		return candidacy{}, err
	}
	lease = electionconfig.LeaderElectionDefaulting(lease, flags.namespace, leaseName) // as the builder does
	candidate := leaderelection.Candidate{
		Pod: e.pod, Identity: e.pod.Identity(uuid.NewUUID()), Locked: locked, Leases: client.Leases(lease.Namespace), Name: lease.Name, Clock: clock,
	}
	decision, err := candidate.TakeOver(ctx)
	if err == nil && decision == leaderelection.Refuse {
		err = fmt.Errorf("another manager runs in pod %q and holds the lock of %q; a second manager can start after it has ended", e.pod.Name, e.lockFile)
	}
	if err != nil {
		lock.Close() // nil if another process holds the lock
		return candidacy{}, err
	}
	return candidacy{identity: candidate.Identity, tookOver: decision == leaderelection.TakeOver, lock: lock}, nil
}
