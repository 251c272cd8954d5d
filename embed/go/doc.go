// Package upgrade lets any Go program host the chain-upgrade core and run upgrade handlers in a sandbox.
//
// [Core] is the upgrade module of a chain: it decides about plans and keeps their records in a store that the caller
// gives. [Handler] is a migration, one .wasm file: [LoadHandler] checks it, [Handler.Run] runs it over the caller's
// stores and writes nothing, and [Run.Write] hands its writes on. Both run in wazero, without cgo.
//
// Every failure is an [*Error] with a stable code, the same that the TypeScript node reports for it.
package upgrade
