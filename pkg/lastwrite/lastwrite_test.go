package lastwrite

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAStaleCacheIsNotDecidedUpon(t *testing.T) {
	cached := &metav1.ObjectMeta{ResourceVersion: "9"}
	then := time.Unix(1000, 0)
	if got := Of(cached, then); got != (Write{ResourceVersion: "9", Time: then}) {
		t.Errorf("recorded %+v", got)
	}
	for written, want := range map[string]bool{"": false, "8": false, "9": false, "10": true} {
		if left, got := (Write{ResourceVersion: written, Time: then}).IsBehind(cached, then.Add(time.Second)); got != want || want && left != StaleCachePeriod-time.Second {
			t.Errorf("after writing version %q the cache's version 9 counts as behind: %v for %s, want %v", written, got, left, want)
		}
	}
	if _, got := (Write{ResourceVersion: "10", Time: then}).IsBehind(cached, then.Add(StaleCachePeriod)); got {
		t.Error("a cache that stays behind, as after the restore of a backup, is never decided upon")
	}
}
