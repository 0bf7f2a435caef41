package scenario

import (
	"fmt"
	"time"
)

const (
	// settleStep is the interval at which Settle checks.
	settleStep = time.Second
	// settleQuiet is the time without a write after which a cluster has settled. Controllers delay some writes by seconds.
	settleQuiet = 10 * time.Second
	// settleWithin bounds how long a cluster may take to settle.
	settleWithin = 10 * time.Minute
	// settleLastWrites is how many of the last writes an error lists.
	settleLastWrites = 10
	// settleInFlight is how many of the requests in flight an error lists, the oldest first.
	settleInFlight = 10
)

// Settle waits until nothing was written for 10 seconds and no request is in flight. Leases of leader election are not counted. It returns
// an error if the cluster does not settle within 10 minutes (with the requests in flight and the last writes), if requests are sent in
// an endless loop, or if the cluster's controllers have ended. Call it in a bubble; all times are virtual.
func (c *Cluster) Settle() error {
	deadline := time.Now().Add(settleWithin)
	for {
		time.Sleep(settleStep)
		c.rest()
		if err := c.failed.Load(); err != nil {
			return fmt.Errorf("the cluster's controllers have ended: %w", *err)
		}
		if err := c.recorder.endless(); err != nil {
			return err
		}
		if c.recorder.quietSince(time.Now().Add(-settleQuiet)) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the cluster has not settled within %s: it must be %s without a write; %s", settleWithin, settleQuiet, c.recorder.busy())
		}
	}
}
