package operator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/health"
)

// reportWithin is the maximum time for which the ClusterOperator keeps its conditions while some conditions are missing from the operator
// resource. The controllers write them within a second. A failing controller must not hide the conditions of the others for longer.
const reportWithin = 30 * time.Second

// degradedWithin is library-go's default inertia. It applies to Degraded conditions without a delay of their own.
const degradedWithin = 2 * time.Minute

// maxClockSkew is the maximum skew that degradedInertia tolerates. With more skew, leases and certificates fail first.
const maxClockSkew = 24 * time.Hour

// degradedInertia returns how long library-go waits before it copies a Degraded condition to the ClusterOperator. Condition
// PlatformOperatorsDegraded has already waited for Options.DegradedAfter, so library-go must copy it at once. An inertia of zero is not
// enough: library-go ignores a transition in the future, such as one from a fast clock, and checks again a minute later. Condition
// WatchesDegraded remains True for some time after its cause has ended, so its inertia is longer.
func degradedInertia(condition operatorv1.OperatorCondition) time.Duration {
	switch condition.Type {
	case operatorhealth.ConditionPrefix + "Degraded":
		return -maxClockSkew
	case watches.ConditionPrefix + "Degraded":
		return degradedWithin + health.WatchErrorExpiry
	}
	return degradedWithin
}

// requiredConditions are the conditions that the operator resource must have before StatusSyncer copies any to the ClusterOperator.
var requiredConditions = []string{
	operatorhealth.ConditionPrefix + "Available",
	operatorhealth.ConditionPrefix + "Progressing",
	operatorhealth.ConditionPrefix + "Degraded",
	upgradegate.ConditionType,
}

// errIncomplete is the error of reportedClient while it waits for conditions.
var errIncomplete = errors.New("waiting for the manager's conditions")

// nothingDetected makes library-go report EvaluationConditionsDetected as False. Without a condition of this type, it would report Unknown
// with reason NoData and no message.
var nothingDetected = operatorv1.OperatorCondition{Type: string(configv1.EvaluationConditionsDetected), Status: operatorv1.ConditionFalse, Reason: health.ReasonAsExpected}

// reportedClient is the client with which StatusSyncer reads the operator resource. A recreated operator resource has no conditions, and
// library-go would set Available, Degraded and Upgradeable to Unknown. That would be a false alarm, and Unknown does not block an upgrade.
// So the client returns an error until the resource has all requiredConditions, for at most reportWithin.
//
// After a start, the operator resource still has the Upgradeable condition of the ended process, which may permit upgrades that this
// process would block. So the client also returns an error until this process permits upgrades or records that they are blocked. After
// reportWithin, it reports upgrades as blocked instead.
type reportedClient struct {
	v1helpers.OperatorClient
	clock clock.PassiveClock
	// permits is true if this process's upgrade gate permits upgrades.
	permits *atomic.Bool

	lock  sync.Mutex
	since time.Time // the time when a condition was first missing; zero if none is missing
	read  string    // the resourceVersion of the last returned state; empty before the first
}

// lastRead returns the resourceVersion of the last returned state, or "" if none was returned.
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

// GetOperatorState calls the wrapped client. For at most reportWithin, it returns an error while conditions are missing or while this
// process has not confirmed Upgradeable. After that, it returns the incomplete status, with upgrades blocked if they are not confirmed.
func (c *reportedClient) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	spec, status, version, err := c.OperatorClient.GetOperatorState()
	if err != nil {
		c.shouldWait(false) // a recreated resource has a time limit of its own
		return nil, nil, "", err
	}
	missing := missingConditions(status.Conditions)
	unconfirmed := v1helpers.IsOperatorConditionTrue(status.Conditions, upgradegate.ConditionType) && !c.permits.Load()
	if unconfirmed {
		missing = append(missing, "this process's own verdict in "+upgradegate.ConditionType)
	}
	if c.shouldWait(len(missing) > 0) {
		return nil, nil, "", fmt.Errorf("%w: PlatformOperatorManager %q lacks %s; the ClusterOperator stays as it is for %s at most",
			errIncomplete, operatorv1alpha1.PlatformOperatorManagerName, strings.Join(missing, ", "), reportWithin)
	}
	status = status.DeepCopy()
	if unconfirmed {
		upgradegate.Withdraw(status, reportWithin)
	}
	status.Conditions = append(status.Conditions, nothingDetected)
	c.setRead(version)
	return spec, status, version, nil
}

// shouldWait records whether a condition is missing, and reports whether to wait for it. It returns false after reportWithin.
func (c *reportedClient) shouldWait(missing bool) bool {
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

func missingConditions(conditions []operatorv1.OperatorCondition) []string {
	var missing []string
	for _, kind := range requiredConditions {
		if !slices.ContainsFunc(conditions, func(c operatorv1.OperatorCondition) bool { return c.Type == kind }) {
			missing = append(missing, kind)
		}
	}
	return missing
}
