package leaderelection

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// lockFor is the environment variable with the path of a file. If it is set, the test binary locks the file, prints a line, and runs until
// it is killed.
const lockFor = "LEADERELECTION_TEST_LOCK"

func TestMain(m *testing.M) {
	path := os.Getenv(lockFor)
	if path == "" {
		os.Exit(m.Run())
	}
	file, err := LockFile(path)
	if err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString("locked\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // blocks, because the test writes nothing to stdin
	file.Close()
}

func TestHRD_G4_OneProcessHoldsTheLockAndItsDeathReleasesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	other := exec.CommandContext(t.Context(), os.Args[0])
	other.Env = append(os.Environ(), lockFor+"="+path)
	output, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	if file, err := LockFile(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("while another process holds the lock: %v, %v", file, err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // the error reports that it was killed
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the file does not outlive its process, so that nothing is shown: %v", err)
	}
	file, err := LockFile(path)
	if err != nil {
		t.Fatalf("after the other process was killed: %v", err)
	}
	if _, err := LockFile(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second time: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := LockFile(path)
	if err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	again.Close()
}

func TestALockFileThatCannotBeOpenedIsAnErrorAndNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "lock")
	if file, err := LockFile(path); err == nil || errors.Is(err, ErrLocked) || file != nil {
		t.Errorf("got %v, %v", file, err)
	}
}
