package upgrade

// What the host does for a guest, by gas schedule gas-2 (docs/gas.md; a test reads its table). Part of consensus.
const (
	gasSchedule = "gas-2"

	priceFileByte       = 1_000
	priceHostCall       = 2_000
	priceGet            = 200_000
	priceScan           = 200_000
	priceScanPair       = 2_000
	priceScanPassed     = 1_000
	priceScanPassedByte = 8
	pricePut            = 12_000
	priceDelete         = 12_000
	priceWriteAlone     = 70_000
	priceStoreWrite     = 600
	priceLog            = 4_000
	priceLogByte        = 100
	priceProgress       = 300
	priceByte           = 1
	priceLongByte       = 12

	// Keys and values that are not longer cost what their writes and reads do.
	longBytes = 1_024
	// Writes of a run until others share their paths.
	writesAlone = 10_000
	// Abstract bytes of stack that calls may use together.
	stackBudget = 262_144
)

// longPrice is what the length of a key, or of a value that is written, costs besides its bytes.
func longPrice(length int) int64 { return int64(max(0, length-longBytes)) * priceLongByte }
