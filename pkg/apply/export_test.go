package apply

import "context"

// CleanUp revokes the permissions that a check of namespaces left, once.
func (e *Engine) CleanUp(ctx context.Context) { e.namespaces.CleanUp(ctx) }
