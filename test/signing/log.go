package signing

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"
)

// Log is a transparency log like Rekor: it signs an entry for each signature.
type Log struct {
	// Key is the key of the log.
	Key
	now     time.Time
	entries atomic.Int64
}

// NewLog returns an empty log, which records all signatures at one time.
func NewLog(now time.Time) (*Log, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	return &Log{Key: key, now: now}, nil
}

// object is a JSON object. It is encoded with sorted keys, as the log signs it.
type object = map[string]any

// record records a signature of a payload, and returns the log's promise in the form of an annotation. verifier is the public key or
// certificate with which the signature is verified, in PEM.
func (l *Log) record(payload, signature, verifier []byte) (string, error) {
	hash := sha256.Sum256(payload)
	body, err := json.Marshal(object{
		"apiVersion": "0.0.1", "kind": "hashedrekord",
		"spec": object{
			"data":      object{"hash": object{"algorithm": "sha256", "value": hex.EncodeToString(hash[:])}},
			"signature": object{"content": signature, "publicKey": object{"content": verifier}},
		},
	})
	if err != nil {
		return "", fmt.Errorf("recording a signature: %w", err)
	}
	public, err := l.Public()
	if err != nil {
		return "", err
	}
	id := sha256.Sum256(public)
	entry, err := json.Marshal(object{
		"body": body, "integratedTime": l.now.Unix(), "logID": hex.EncodeToString(id[:]), "logIndex": l.entries.Add(1) - 1,
	})
	if err != nil {
		return "", fmt.Errorf("recording a signature: %w", err)
	}
	entryHash := sha256.Sum256(entry)
	promise, err := ecdsa.SignASN1(rand.Reader, l.private, entryHash[:])
	if err != nil {
		return "", fmt.Errorf("recording a signature: %w", err)
	}
	text, err := json.Marshal(object{"SignedEntryTimestamp": promise, "Payload": json.RawMessage(entry)})
	if err != nil {
		return "", fmt.Errorf("recording a signature: %w", err)
	}
	return string(text), nil
}
