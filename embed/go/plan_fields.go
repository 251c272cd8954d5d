package upgrade

import (
	"encoding/binary"
	"time"
	"unicode/utf8"
)

// A plan's fields as plan_encode and plan_decode move them: a header of 32 bytes, the name, the info.

const (
	planHeaderBytes  = 32
	planClientState  = 1
	planNameBytesMax = 140
	planInfoBytesMax = 65_536
	// A text beyond this may not even fit into the core's memory, so its refusal, the core's own, is given here.
	planTextBytesMax = 262_144
)

func (plan Plan) fields() ([]byte, error) {
	if len(plan.Name) > planTextBytesMax {
		return nil, textTooLong(CodeInvalidPlanName, "name", plan.Name, planNameBytesMax)
	}
	if len(plan.Info) > planTextBytesMax {
		return nil, textTooLong(CodeInvalidPlanInfo, "info", plan.Info, planInfoBytesMax)
	}
	flags := uint32(0)
	if plan.HasClientState {
		flags = planClientState
	}
	fields := make([]byte, 0, planHeaderBytes+len(plan.Name)+len(plan.Info))
	fields = binary.LittleEndian.AppendUint64(fields, uint64(plan.Height))
	fields = binary.LittleEndian.AppendUint64(fields, uint64(plan.Time.Unix()))
	fields = binary.LittleEndian.AppendUint32(fields, uint32(plan.Time.Nanosecond()))
	fields = binary.LittleEndian.AppendUint32(fields, flags)
	fields = binary.LittleEndian.AppendUint32(fields, uint32(len(plan.Name)))
	fields = binary.LittleEndian.AppendUint32(fields, uint32(len(plan.Info)))
	return append(append(fields, plan.Name...), plan.Info...), nil
}

func textTooLong(code Code, what, text string, bytesMax int) error {
	return newError(code, "%s expected at most %d bytes, got %d: invalid request", what, bytesMax, len(text))
}

func planOfFields(fields []byte) (Plan, error) {
	if len(fields) < planHeaderBytes {
		return Plan{}, coreMisfit("plan_decode of core.wasm returned %d bytes", len(fields))
	}
	infoAt := planHeaderBytes + int(binary.LittleEndian.Uint32(fields[24:]))
	if infoAt > len(fields) {
		return Plan{}, coreMisfit("plan_decode of core.wasm returned a name that is cut short")
	}
	seconds := int64(binary.LittleEndian.Uint64(fields[8:]))
	nanos := int32(binary.LittleEndian.Uint32(fields[16:]))
	plan := Plan{
		Name:           string(fields[planHeaderBytes:infoAt]),
		Height:         int64(binary.LittleEndian.Uint64(fields)),
		Info:           string(fields[infoAt:]),
		Time:           time.Unix(seconds, int64(nanos)).UTC(),
		HasClientState: binary.LittleEndian.Uint32(fields[20:]) == planClientState,
	}
	if plan.Time.IsZero() {
		plan.Time = time.Time{}
	}
	if !utf8.ValidString(plan.Name) || !utf8.ValidString(plan.Info) {
		return Plan{}, newError(CodeInvalidPlanBytes, "a plan's name and info must be UTF-8")
	}
	return plan, nil
}
