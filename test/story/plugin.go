package story

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// pluginCommand is the prefix of the plugin's commands.
const pluginCommand = "kubectl platform "

// runPlugin runs the command See of a step and prints its output. It does nothing if See is not a command of the plugin. It returns an
// error if the command fails, except with the exit code exit.Blocked, which is an answer and not a failure.
func (s Step) runPlugin(ctx context.Context, admin *Admin, out io.Writer) error {
	if !strings.HasPrefix(s.See, pluginCommand) {
		return nil
	}
	env := admin.Environment
	command := exec.CommandContext(ctx, env.Kubectl, strings.Fields(s.See)[1:]...)
	command.Env = append(os.Environ(), "PATH="+filepath.Dir(env.Kubectl)+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+env.Catalog.CAFile())
	output, err := command.CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == int(exit.Blocked) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", s.See, err, output)
	}
	for line := range bytes.Lines(output) {
		if _, err := fmt.Fprintf(out, "            %s", line); err != nil {
			return err
		}
	}
	return nil
}
