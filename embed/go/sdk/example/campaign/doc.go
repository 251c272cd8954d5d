// Package campaign takes the example chain through upgrades as operators do: binaries, processes, transactions, CometBFT.
// It builds two binaries and takes minutes, so its tests need the build tag "campaign":
//
//	go test -tags campaign -count 1 -v ./campaign
package campaign
