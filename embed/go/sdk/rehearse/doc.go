// Package rehearse runs the upgrade of a stopped Cosmos SDK node on the node's own data, through the chain's own application,
// without writing to the home. [Command] is a command for the chain's binary, [Run] is the same as a function.
//
// It is a module of its own, so that the adapter (embed/go/sdk) requires no more than it needs. Use both at the same version.
package rehearse
