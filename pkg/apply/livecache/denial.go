package livecache

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// deniedTime is how long the API server must deny the lists or watches of a resource before the filled cache counts as out of date. An API
// server that starts may deny requests until it has read its roles.
const deniedTime = time.Minute

// denial is the state of a resource whose lists or watches the API server denies. The zero value means that no request is denied.
type denial struct {
	// err is the last denial, and since is the time of the first one.
	err   error
	since time.Time
	// notified is true after the owners of the cache were notified.
	notified bool
}

// setDenial records an error of a list or watch if it is a denial. It reports whether the denial has become a lasting one.
func (c *Cache) setDenial(err error) bool {
	if !apierrors.IsForbidden(err) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.denial.err == nil {
		c.denial.since = now
	}
	c.denial.err = err
	isNew := !c.denial.notified && now.Sub(c.denial.since) >= deniedTime
	c.denial.notified = c.denial.notified || isNew
	return isNew
}

// clearDenial records that a watch has started. It reports whether a lasting denial has ended.
func (c *Cache) clearDenial() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	wasLasting := c.denial.notified
	c.denial = denial{}
	return wasLasting
}

// lastingDenial returns the last denial if the API server has denied the lists or watches for at least deniedTime; else nil.
func (c *Cache) lastingDenial() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.denial.notified {
		return c.denial.err
	}
	return nil
}
