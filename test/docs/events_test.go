package docs

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestConditionsPageListsEveryEventAndNoOther(t *testing.T) {
	events := apiConstants(t, "Event")
	if len(events) < 20 {
		t.Fatalf("found %d names of Events in the code; they must have moved", len(events))
	}
	wantSame(t, "conditions.md", firstColumn(section(t, "conditions.md", "Events")), events)
	wantUsed(t, events)
}

func TestEveryEventHasItsNameFromTheAPI(t *testing.T) {
	sent := 0
	for _, path := range managerFiles(t) {
		ast.Inspect(parsed(t, path), func(node ast.Node) bool {
			named := eventName(node)
			if named == nil {
				return true
			}
			sent++
			ast.Inspect(named, func(part ast.Node) bool {
				if literal, ok := part.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					t.Errorf("%s sends Event %s; make it a constant Event… in pkg/apis and list it in docs/conditions.md", filepath.Base(path), literal.Value)
				}
				if name := selected(part); strings.Contains(name, ".Reason") && apis[strings.Split(name, ".")[0]] != "" {
					t.Errorf("%s sends an Event named %s; use the constant Event… of that name", filepath.Base(path), name)
				}
				return true
			})
			return true
		})
	}
	if sent < 20 {
		t.Errorf("found %d places that send Events; they must look otherwise now", sent)
	}
}

// eventName gives the expression that names the Event which a node sends: through library-go's recorder, through
// client-go's, or as a revision.Event; nil for everything else.
func eventName(node ast.Node) ast.Expr {
	switch node := node.(type) {
	case *ast.CompositeLit:
		kind, own := node.Type.(*ast.Ident)
		if own = own && kind.Name == "Event"; (own || selected(node.Type) == "revision.Event") && len(node.Elts) > 0 {
			if keyed, ok := node.Elts[0].(*ast.KeyValueExpr); ok {
				return keyed.Value
			}
			return node.Elts[0]
		}
	case *ast.CallExpr:
		called, ok := node.Fun.(*ast.SelectorExpr)
		if !ok || strings.HasPrefix(selected(called), "klog.") {
			return nil
		}
		switch name := called.Sel.Name; {
		case name == "Event" && len(node.Args) == 4: // of an object, of a type
			return node.Args[2]
		case (name == "Event" || name == "Warning") && len(node.Args) == 2, (name == "Eventf" || name == "Warningf") && len(node.Args) > 1:
			return node.Args[0]
		}
	}
	return nil
}
