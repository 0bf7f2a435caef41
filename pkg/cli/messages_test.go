package cli

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/ocplatform"
)

// TestCLI_8_CommandsInMessagesOfTheManagerExist checks that each command of the plugin that a message of the manager names exists, and takes
// the arguments that the message has.
func TestCLI_8_CommandsInMessagesOfTheManagerExist(t *testing.T) {
	for _, each := range []struct {
		command ocplatform.Command
		want    string // the name of the command
	}{
		{ocplatform.Status, "status"},
		{ocplatform.Search, "search"},
		{ocplatform.ExplainUpgrade, "explain"},
		{ocplatform.Explain("quay"), "explain"},
		{ocplatform.Explain("upgrade"), "explain"},
		{ocplatform.Updates("quay"), "updates"},
		{ocplatform.Approve("quay"), "approve"},
	} {
		root := NewCommand(invocation.New("oc-platform", genericiooptions.NewTestIOStreamsDiscard()))
		args, isPlugin := strings.CutPrefix(string(each.command), root.DisplayName()+" ")
		if !isPlugin {
			t.Errorf("%q does not begin with %q", each.command, root.DisplayName())
			continue
		}
		command, rest, err := root.Find(strings.Fields(args))
		if err != nil || command.Name() != each.want {
			t.Errorf("%q is the command %q: %v", each.command, command.Name(), err)
			continue
		}
		if err := command.ValidateArgs(rest); err != nil {
			t.Errorf("%q: %v", each.command, err)
		}
	}
}

// TestExplainOfAnOperatorNamedUpgradeIsAboutTheOperator checks that the argument is not the one for the cluster upgrade.
func TestExplainOfAnOperatorNamedUpgradeIsAboutTheOperator(t *testing.T) {
	words := strings.Fields(string(ocplatform.Explain("upgrade")))
	if last := words[len(words)-1]; last == "upgrade" || operators.NameOf(last) != "upgrade" {
		t.Errorf("the argument is %q", last)
	}
}
