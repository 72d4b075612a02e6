"""What the tests stand on: a scripted endpoint, databases, and a reference model of the derived graph."""
