// Package exit defines the exit codes of the plugin, and an error that carries one. The commands return such errors, and pkg/cli turns them
// into the exit code of the process. Package exit does not print and does not end the process.
package exit

import (
	"context"
	"errors"
	"os"
)

// Code is an exit code of the process. Scripts depend on the values.
type Code int

// The exit codes. `kubectl platform --help` lists them.
const (
	// OK means that the command did what the user requested.
	OK Code = 0
	// Failure means that something failed, and that no other code applies.
	Failure Code = 1
	// Usage means that the command line is wrong: an argument, a flag or the kubeconfig is invalid, or a file or a part of a catalog that
	// it names does not exist. An object that does not exist in the cluster is a Failure instead.
	Usage Code = 2
	// Blocked means that the command succeeded, and its answer is that something is blocked: the upgrade of the cluster, an operator, or
	// all of an operator's updates. For the command approve, it means that what waits for an approval is not what the user has seen.
	Blocked Code = 3
	// Timeout means that the command did not finish within --timeout or --request-timeout.
	Timeout Code = 4
	// Invalid means that content, such as a catalog, was read and is invalid.
	Invalid Code = 5
	// Interrupted means that Ctrl-C or a different signal ended the command. The value is what shells report for SIGINT.
	Interrupted Code = 130
)

// Error is an error with an exit code.
type Error struct {
	// Code is the exit code of the process.
	Code Code
	// Err is the error to print; nil if the output of the command says everything already.
	Err error
}

// With returns err with an exit code. It returns nil if err is nil.
func With(code Code, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Err: err}
}

// Silently returns an error that sets the exit code and is not printed.
func Silently(code Code) error { return &Error{Code: code} }

// Error returns the text of the wrapped error; empty if there is none.
func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the exit code for the result of a command: the code of an Error, or else Timeout for an exceeded deadline, or else
// Failure. It returns OK for nil.
func CodeOf(err error) Code {
	var coded *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &coded):
		return coded.Code
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return Timeout
	}
	return Failure
}

// isTimeout reports whether an error of package net or net/http is a timeout.
func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
