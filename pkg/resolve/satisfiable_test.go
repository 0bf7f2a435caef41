package resolve

import "testing"

func TestHRD_U8_RangeThatNoVersionCanSatisfy(t *testing.T) {
	for text, want := range map[string]bool{
		"*": true, "1.2.3": true, "1.2.x": true, "^0.2.3": true, "~1.2": true, "1.0 - 2.0": true, "<1.0.0": true, ">1.2.3": true, "!=1.2.3": true,
		">=1.2.0 <1.2.1": true, ">1.2.0 <1.2.2": true, ">1.x": true, ">1.2": true, "<1.0.0 || >2.0.0": true, ">=2.0.0 <1.0.0 || 3.x": true,
		">1.0.0-alpha <1.0.0-beta": true, "<1.0.0-0": true, ">=1.0.0 !=1.0.0": true, "=1.0.0-rc.1": true,
		">=2.0.0 <1.0.0": false, "1.2.3 1.2.4": false, "1.x >=2.0.0": false, ">1.2.0 <1.2.1": false,
		"=1.2.3 !=1.2.3": false, "^1.0.0 ^2.0.0": false, "<0.0.0-0": false,
	} {
		t.Run(text, func(t *testing.T) {
			strict, _, err := parseRange(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := isSatisfiable(text, strict); got != want {
				t.Errorf("got %v", got)
			}
		})
	}
}
