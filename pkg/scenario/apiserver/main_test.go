package apiserver

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	PrepareProcess()
	os.Exit(m.Run())
}
