package upgrade

import (
	"context"
	"time"
)

var errUnderWay = newError(CodeBugAssert, "this part of the module is under way")

type Decision int32

const (
	Idle Decision = iota
	Pending
	Skip
	Apply
	HaltUpgradeNeeded
	HaltBinaryTooEarly
	HaltHandlerMissing
)

type CoreOptions struct {
	// Wasm: another build of the core; nil: the one that this module carries.
	Wasm        []byte
	Interpreter bool
}
type Core struct{}
type Facts struct{ HasHandler, HasLastHandler, IsSkipHeight, IsFirstBlock bool }
type Done struct {
	Name   string
	Height int64
}

func NewCore(ctx context.Context, options CoreOptions) (*Core, error)        { return nil, errUnderWay }
func (c *Core) Close(ctx context.Context) error                              { return errUnderWay }
func (c *Core) Schedule(store KVStore, height int64, plan Plan) error        { return errUnderWay }
func (c *Core) ScheduleBytes(store KVStore, height int64, plan []byte) error { return errUnderWay }
func (c *Core) Clear(store KVStore) error                                    { return errUnderWay }
func (c *Core) PreBlock(store KVStore, height int64, facts Facts) (Decision, error) {
	return 0, errUnderWay
}
func (c *Core) Apply(store KVStore, height int64, planBytes []byte, versions VersionMap, removes []string) error {
	return errUnderWay
}
func (c *Core) SetVersionMap(store KVStore, versions VersionMap) error      { return errUnderWay }
func (c *Core) SetReceipt(store KVStore, name string, receipt []byte) error { return errUnderWay }
func (c *Core) PlanBytes(store KVStore) ([]byte, error)                     { return nil, errUnderWay }
func (c *Core) Plan(store KVStore) (*Plan, error)                           { return nil, errUnderWay }
func (c *Core) DoneHeight(store KVStore, name string) (int64, error)        { return 0, errUnderWay }
func (c *Core) LastDone(store KVStore) (*Done, error)                       { return nil, errUnderWay }
func (c *Core) Version(store KVStore, module string) (version uint64, ok bool, err error) {
	return 0, false, errUnderWay
}
func (c *Core) VersionMap(store KVStore) (VersionMap, error)       { return nil, errUnderWay }
func (c *Core) ProtocolVersion(store KVStore) (uint64, error)      { return 0, errUnderWay }
func (c *Core) Receipt(store KVStore, name string) ([]byte, error) { return nil, errUnderWay }
func (c *Core) PlanKey() ([]byte, error)                           { return nil, errUnderWay }
func (c *Core) DoneKey(name string) ([]byte, error)                { return nil, errUnderWay }
func (c *Core) VersionKey(module string) ([]byte, error)           { return nil, errUnderWay }
func (c *Core) ProtocolKey() ([]byte, error)                       { return nil, errUnderWay }
func (c *Core) ReceiptKey(name string) ([]byte, error)             { return nil, errUnderWay }
func (c *Core) ValidatePlan(plan []byte) error                     { return errUnderWay }
func (c *Core) EncodePlan(plan Plan) ([]byte, error)               { return nil, errUnderWay }
func (c *Core) DecodePlan(plan []byte) (Plan, error)               { return Plan{}, errUnderWay }
func (c *Core) HaltText(decision Decision, height int64, appVersion uint64, subject []byte) (string, error) {
	return "", errUnderWay
}
func (c *Core) UpgradeInfo(height int64, plan []byte) ([]byte, error) { return nil, errUnderWay }
func (c *Core) CancellableHeight(start int64, voting, deposit, safety, block time.Duration) (int64, error) {
	return 0, errUnderWay
}
