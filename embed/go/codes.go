package upgrade

// Code names a kind of failure. Codes are never renamed. A code is an error itself, so that errors.Is(err, code) finds it.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// The codes that this package reports.
const (
	CodeInvalidPlanName       Code = "UPG_INVALID_PLAN_NAME"
	CodeInvalidPlanHeight     Code = "UPG_INVALID_PLAN_HEIGHT"
	CodeInvalidPlanInPast     Code = "UPG_INVALID_PLAN_IN_PAST"
	CodeInvalidPlanDone       Code = "UPG_INVALID_PLAN_DONE"
	CodeInvalidPlanInfo       Code = "UPG_INVALID_PLAN_INFO"
	CodeInvalidPlanDeprecated Code = "UPG_INVALID_PLAN_DEPRECATED"
	CodeInvalidPlanBytes      Code = "UPG_INVALID_PLAN_BYTES"
	CodeInvalidVersionMap     Code = "UPG_INVALID_VERSION_MAP"
	CodeInvalidNames          Code = "UPG_INVALID_NAMES"
	CodeInvalidArgument       Code = "UPG_INVALID_ARGUMENT"
	CodeInvalidHeight         Code = "UPG_INVALID_HEIGHT"
	CodeInvalidKey            Code = "UPG_INVALID_KEY"
	CodeInvalidValue          Code = "UPG_INVALID_VALUE"

	CodeMigrationFailed     Code = "UPG_MIGRATION_FAILED"
	CodeMigrationOutOfGas   Code = "UPG_MIGRATION_OUT_OF_GAS"
	CodeMigrationInvariant  Code = "UPG_MIGRATION_INVARIANT"
	CodeMigrationVersionMap Code = "UPG_MIGRATION_VERSION_MAP"
	CodeMigrationProbe      Code = "UPG_MIGRATION_PROBE"

	CodeHandlerHash     Code = "UPG_HANDLER_HASH"
	CodeHandlerLayout   Code = "UPG_HANDLER_LAYOUT"
	CodeHandlerImport   Code = "UPG_HANDLER_IMPORT"
	CodeHandlerExport   Code = "UPG_HANDLER_EXPORT"
	CodeHandlerOpcode   Code = "UPG_HANDLER_OPCODE"
	CodeHandlerLimit    Code = "UPG_HANDLER_LIMIT"
	CodeHandlerMemory   Code = "UPG_HANDLER_MEMORY"
	CodeHandlerManifest Code = "UPG_HANDLER_MANIFEST"
	CodeHandlerTrap     Code = "UPG_HANDLER_TRAP"
	CodeHandlerFormat   Code = "UPG_HANDLER_FORMAT"
	CodeHandlerEngine   Code = "UPG_HANDLER_ENGINE"
	CodeHandlerStack    Code = "UPG_HANDLER_STACK"
	CodeHandlerMetered  Code = "UPG_HANDLER_METERED"

	CodeStoreCorrupt Code = "UPG_STORE_CORRUPT"
	CodeStoreIO      Code = "UPG_STORE_IO"
	CodeStoreFull    Code = "UPG_STORE_FULL"

	CodeBugPlanChanged Code = "UPG_BUG_PLAN_CHANGED"
	CodeBugCoreTrap    Code = "UPG_BUG_CORE_TRAP"
	CodeBugCoreABI     Code = "UPG_BUG_CORE_ABI"
	CodeBugAssert      Code = "UPG_BUG_ASSERT"
)

// absent is what a Wasm call returns, negated, for "there is no such value".
const absent = 1

// coreCodes are the numbers that core.wasm returns, negated.
var coreCodes = map[uint32]Code{
	10: CodeInvalidPlanName, 11: CodeInvalidPlanHeight, 12: CodeInvalidPlanInPast, 13: CodeInvalidPlanDone,
	14: CodeInvalidPlanInfo, 15: CodeInvalidPlanDeprecated, 16: CodeInvalidPlanBytes, 17: CodeInvalidVersionMap,
	18: CodeInvalidNames, 19: CodeInvalidArgument, 20: CodeInvalidHeight, 22: CodeInvalidValue,
	83: CodeMigrationVersionMap, 110: CodeStoreCorrupt, 140: CodeBugPlanChanged, 141: CodeBugCoreTrap,
}
