package signing

import (
	"errors"
	"time"
)

// Owner is who signs images, with everything by which a signature can be proved.
type Owner struct {
	Key       Key
	Log       *Log
	Authority *Authority
}

// NewOwner returns an owner with a new key, log and authority. now is as for NewLog and NewAuthority.
func NewOwner(now time.Time) (Owner, error) {
	key, keyErr := NewKey()
	log, logErr := NewLog(now)
	authority, authorityErr := NewAuthority(now)
	return Owner{key, log, authority}, errors.Join(keyErr, logErr, authorityErr)
}
