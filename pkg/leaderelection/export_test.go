package leaderelection

// String returns the name of the decision.
func (d Decision) String() string {
	switch d {
	case Elect:
		return "Elect"
	case TakeOver:
		return "TakeOver"
	case Refuse:
		return "Refuse"
	}
	return "Unknown"
}
