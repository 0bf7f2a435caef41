package compat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openshift/platform-operators/pkg/shell"
)

// maxCommand is the maximum size of a command in a message, in bytes. A longer command is replaced with one that shows the object.
const maxCommand = 420

// clientInMessages is the command-line client that the manager's messages name.
const clientInMessages = "oc"

// OverrideReason is a placeholder for the reason of an override in a command. The admin must replace it.
const OverrideReason = "WHO ACKNOWLEDGES THE RISK, AND WHY"

// nextStep returns the command that an admin should run first to unblock the upgrade to next. It carries out the remedy for an operator, or
// shows the operator if there is nothing to change. It is empty while the remedy is not known yet, or if it would be longer than
// maxCommand.
func nextStep(operator Operator, remedy remedy, next Minor, now time.Time) string {
	if remedy.isUnknown {
		return ""
	}
	command := patchFor(operator, remedy, next, now)
	if command == "" || len(command) > maxCommand {
		command = fmt.Sprintf("%s describe %s %s", clientInMessages, strings.ToLower(operator.Kind), shell.Quote(operator.Name))
	}
	if len(command) > maxCommand {
		return "" // no object of Kubernetes has such a long name
	}
	return command
}

// patchFor returns the command that changes the spec of the operator's object, or of its BundleDeployment, as the remedy requires; empty if
// no change to the spec is known to help.
func patchFor(operator Operator, remedy remedy, next Minor, now time.Time) string {
	best := remedy.candidate
	switch {
	case remedy.isApproval && (best == nil || best.Approve == ""):
		return operator.AwaitedPlan.command(operator.Name)
	case best == nil && operator.IncompleteReason != "":
		return "" // a catalog that cannot be read may have a version
	case best == nil:
		return OverrideCommand(clientInMessages, operator, next, now)
	case best.Approve != "":
		return patchCommand(clientInMessages, operator, "merge", spec{"upgrades": spec{"approvedVersion": best.Approve}})
	case best.Installable && operator.Paused:
		return patchCommand(clientInMessages, operator, "merge", spec{"paused": false})
	case best.Installable || best.Change == nil:
		return ""
	case len(best.Change.Channels) > 0:
		return patchCommand(clientInMessages, operator, "merge", spec{"package": spec{"channels": best.Change.Channels}})
	}
	return patchCommand(clientInMessages, operator, "merge", spec{"package": spec{"version": best.Change.Range}})
}

// spec is a part of a merge patch.
type spec map[string]any

// operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// OverrideCommand returns the command that acknowledges, until suggestedExpiry, the risk that an operator does not support the minor
// version next. It completes the ignored override for next if there is one, or else adds an override. client is the command that patches,
// "oc" or "kubectl". Of operator it uses only Kind, Name, Overrides and Ignored. The command fails if a different override has taken the
// place of the ignored one in the meantime.
func OverrideCommand(client string, operator Operator, next Minor, now time.Time) string {
	const list = "/spec/compatibilityOverrides"
	operator.Kind = cmp.Or(operator.Kind, KindPlatformOperator)
	expires := formatTime(suggestedExpiry(now))
	for _, ignored := range operator.Ignored {
		if !ignored.IsForNext {
			continue
		}
		path := fmt.Sprintf("%s/%d/", list, ignored.Index)
		patch := []operation{{"test", path + "openShiftVersion", ignored.Version}}
		if !ignored.hasReason() {
			patch = append(patch, operation{"add", path + "reason", OverrideReason})
		}
		if ignored.Expires.IsZero() || !now.Before(ignored.Expires) {
			patch = append(patch, operation{"add", path + "expires", expires})
		}
		return patchCommand(client, operator, "json", patch)
	}
	override := map[string]any{"openShiftVersion": next.String(), "reason": OverrideReason, "expires": expires}
	if operator.Overrides > 0 {
		return patchCommand(client, operator, "json", []operation{{"add", list + "/-", override}})
	}
	return patchCommand(client, operator, "merge", spec{"compatibilityOverrides": []any{override}})
}

// suggestedExpiry returns the expiry date for a new override: the first day of a month, at least 30 days after now. It changes only once a
// month, so that the message stays the same.
func suggestedExpiry(now time.Time) time.Time {
	earliest := now.UTC().AddDate(0, 0, 30)
	first := time.Date(earliest.Year(), earliest.Month(), 1, 0, 0, 0, 0, time.UTC)
	if first.Before(earliest) {
		first = first.AddDate(0, 1, 0)
	}
	return first
}

// patchCommand returns the command that patches the operator's object. For a merge patch, patch is only the new spec.
func patchCommand(client string, operator Operator, kind string, patch any) string {
	if kind == "merge" {
		patch = map[string]any{"spec": patch}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // a range has "<" and ">"
	if err := encoder.Encode(patch); err != nil {
		return "" // the patch has only strings and lists
	}
	return fmt.Sprintf("%s patch %s %s --type=%s -p %s", client, strings.ToLower(operator.Kind), shell.Quote(operator.Name), kind,
		shell.Quote(strings.TrimSpace(text.String())))
}
