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
		t.Fatalf("found only %d names of Events in the code, want at least 20", len(events))
	}
	expectListed(t, "conditions.md", firstColumn(section(t, "conditions.md", "Events")), events)
	expectUsed(t, events)
}

func TestEveryEventHasItsNameFromTheAPI(t *testing.T) {
	events := 0
	for _, path := range managerFiles(t) {
		ast.Inspect(parseFile(t, path), func(node ast.Node) bool {
			name := eventName(node)
			if name == nil {
				return true
			}
			events++
			ast.Inspect(name, func(part ast.Node) bool {
				if literal, ok := part.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					t.Errorf("%s sends Event %s; make it a constant Event… in pkg/apis and list it in docs/conditions.md", filepath.Base(path), literal.Value)
				}
				if name := selectorName(part); strings.Contains(name, ".Reason") && apis[strings.Split(name, ".")[0]] != "" {
					t.Errorf("%s sends an Event named %s; use the constant Event… of that name", filepath.Base(path), name)
				}
				return true
			})
			return true
		})
	}
	if events < 20 {
		t.Errorf("found only %d places that send Events, want at least 20", events)
	}
}

// eventName returns the expression with the name of the Event that a node sends, or nil. Events are sent by library-go's or
// client-go's recorder, or as a revision.Event.
func eventName(node ast.Node) ast.Expr {
	switch node := node.(type) {
	case *ast.CompositeLit:
		kind, own := node.Type.(*ast.Ident)
		if own = own && kind.Name == "Event"; (own || selectorName(node.Type) == "revision.Event") && len(node.Elts) > 0 {
			if keyed, ok := node.Elts[0].(*ast.KeyValueExpr); ok {
				return keyed.Value
			}
			return node.Elts[0]
		}
	case *ast.CallExpr:
		called, ok := node.Fun.(*ast.SelectorExpr)
		if !ok || strings.HasPrefix(selectorName(called), "klog.") {
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
