package upgrade

// Bounds of docs/abi.md that this host itself checks; the unit is last in the name.
const (
	moduleNameBytesMax   = 140
	versionMapModulesMax = 1024
	receiptBytesMax      = 524_288

	keyBytesMax      = 65_535
	valueBytesMax    = 1_048_576
	frameHeaderBytes = 8

	handlerBytesMax     = 1_048_576
	manifestBytesMax    = 16_384
	gasLimitMax         = 1_000_000_000_000
	batchBytes          = 65_536
	batchOutBytes       = 262_144
	logBytesMax         = 4_096
	logLinesMax         = 10_000
	failMessageBytesMax = 1_024

	pageBytes       = 65_536
	memoryPagesMax  = 512
	checksMax       = 256
	checkNameMax    = 140
	checkMessageMax = 1_024
)
