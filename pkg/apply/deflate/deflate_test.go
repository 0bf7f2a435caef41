package deflate

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

func TestDecompressReturnsWhatWasCompressed(t *testing.T) {
	for name, content := range map[string]string{
		"nothing":     "",
		"a word":      "memo",
		"a long text": strings.Repeat("lorem ipsum ", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for range 8 { // writers are shared
				group.Go(func() {
					compressed, err := Compress([]byte(content))
					if err != nil {
						t.Error(err)
					}
					if got, err := Decompress(compressed); err != nil || string(got) != content {
						t.Errorf("got %d bytes, %v; want %d", len(got), err, len(content))
					}
				})
			}
			group.Wait()
		})
	}
}

func TestDecompressFailsOnOtherContent(t *testing.T) {
	if got, err := Decompress(bytes.Repeat([]byte{0xff}, 100)); err == nil {
		t.Errorf("got %d bytes and no error", len(got))
	}
}
