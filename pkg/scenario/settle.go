package scenario

import (
	"fmt"
	"time"
)

const (
	// settleStep is the interval between the checks of Settle.
	settleStep = time.Second
	// settleQuiet is the time without a write after which a cluster has settled. It is longer than the delays after which some controllers
	// write.
	settleQuiet = 10 * time.Second
	// settleWithin is the timeout of Settle.
	settleWithin = 10 * time.Minute
	// settleLastWrites is the maximum number of writes in the error of Settle. The error lists the last ones.
	settleLastWrites = 10
	// settleInFlight is the maximum number of requests in flight in the error of Settle. The error lists the oldest ones.
	settleInFlight = 10
)

// Settle waits until no request except watches is in flight, and no client has written for 10 seconds. It ignores writes to Leases. It
// returns an error if the cluster does not settle within 10 minutes, if a client sends requests in an endless loop, or if the cluster's
// controllers have stopped. It also returns violations of the invariants that were passed to Check. Call Settle in a testing/synctest
// bubble. All times are virtual.
func (c *Cluster) Settle() error {
	deadline := time.Now().Add(settleWithin)
	for {
		time.Sleep(settleStep)
		c.waitForOthers()
		if err := c.failed.Load(); err != nil {
			return fmt.Errorf("the cluster's controllers have ended: %w", *err)
		}
		if err := c.recorder.endless(); err != nil {
			return err
		}
		if c.recorder.quietSince(time.Now().Add(-settleQuiet)) {
			return c.checker.Load().settled()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the cluster has not settled within %s: it must be %s without a write; %s", settleWithin, settleQuiet, c.recorder.busy())
		}
	}
}
