package operator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/health"
)

// reportWithin is how long the ClusterOperator keeps its conditions while the operator resource lacks some. The controllers need less than
// a second to write them. A controller that fails must not hide the conditions of the others for longer.
const reportWithin = 30 * time.Second

// degradedWithin is library-go's own inertia. It applies to the Degraded conditions that have not been delayed before.
const degradedWithin = 2 * time.Minute

// maxClockSkew bounds how far the clock of another node may be ahead. With more skew, leases and certificates fail first.
const maxClockSkew = 24 * time.Hour

// degradedInertia returns how long library-go waits before it copies a Degraded condition to the ClusterOperator. The operators' condition
// was already delayed by Options.DegradedAfter, so it must count at once. Zero is not enough: library-go ignores a transition that is not
// in the past, such as one by a clock that is ahead, and checks again a minute later. The watches' condition outlasts its cause, so it is
// delayed: a problem that is over must not be reported.
func degradedInertia(condition operatorv1.OperatorCondition) time.Duration {
	switch condition.Type {
	case operatorhealth.ConditionPrefix + "Degraded":
		return -maxClockSkew
	case watches.ConditionPrefix + "Degraded":
		return degradedWithin + health.WatchErrorExpiry
	}
	return degradedWithin
}

// reported are the conditions that the operator resource must have before they are copied to the ClusterOperator.
var reported = []string{
	operatorhealth.ConditionPrefix + "Available",
	operatorhealth.ConditionPrefix + "Progressing",
	operatorhealth.ConditionPrefix + "Degraded",
	upgradegate.ConditionType,
}

// reportedClient is the client of the operator resource that StatusSyncer reads. A recreated operator resource has no conditions, and
// library-go would set Available, Degraded and Upgradeable to Unknown: a false alarm, and Unknown does not block an upgrade. So the resource
// counts as absent until it has every condition.
//
// After a start, the operator resource has the verdict of the ended process, which may permit upgrades that this process would block. So the
// resource also counts as absent until this process's own verdict permits upgrades. If that takes too long, the client reports upgrades as
// blocked.
type reportedClient struct {
	v1helpers.OperatorClient
	clock clock.PassiveClock
	// permits is true if the last verdict of this process permits upgrades.
	permits *atomic.Bool

	lock  sync.Mutex
	since time.Time // when something was missing first; zero when nothing is
	read  string    // the resourceVersion of the state that was returned last
}

// lastRead returns the resourceVersion of the state that was returned last.
func (c *reportedClient) lastRead() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.read
}

func (c *reportedClient) setRead(resourceVersion string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.read = resourceVersion
}

func newReportedClient(client v1helpers.OperatorClient, clock clock.PassiveClock, permits *atomic.Bool) *reportedClient {
	return &reportedClient{OperatorClient: client, clock: clock, permits: permits}
}

// GetOperatorState calls the wrapped client. It returns an error while conditions are missing.
func (c *reportedClient) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	spec, status, version, err := c.OperatorClient.GetOperatorState()
	if err != nil {
		c.waits(false) // one that comes back is another one
		return nil, nil, "", err
	}
	missing := unreported(status.Conditions)
	unconfirmed := v1helpers.IsOperatorConditionTrue(status.Conditions, upgradegate.ConditionType) && !c.permits.Load()
	if unconfirmed {
		missing = append(missing, "this process's own verdict in "+upgradegate.ConditionType)
	}
	if c.waits(len(missing) > 0) {
		return nil, nil, "", fmt.Errorf("PlatformOperatorManager %q does not have %s yet; the ClusterOperator stays as it is until then, or for %s",
			operatorv1alpha1.PlatformOperatorManagerName, strings.Join(missing, ", "), reportWithin)
	}
	if unconfirmed {
		status = status.DeepCopy()
		upgradegate.Withdraw(status, reportWithin)
	}
	c.setRead(version)
	return spec, status, version, nil
}

// waits records whether a condition is missing, and reports whether to wait for it.
func (c *reportedClient) waits(missing bool) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !missing {
		c.since = time.Time{}
		return false
	}
	now := c.clock.Now()
	if c.since.IsZero() {
		c.since = now
	}
	return now.Sub(c.since) < reportWithin
}

func unreported(conditions []operatorv1.OperatorCondition) []string {
	var missing []string
	for _, kind := range reported {
		if !slices.ContainsFunc(conditions, func(c operatorv1.OperatorCondition) bool { return c.Type == kind }) {
			missing = append(missing, kind)
		}
	}
	return missing
}
