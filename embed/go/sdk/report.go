package sdk

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"cosmossdk.io/log"
	"github.com/hashicorp/go-metrics"

	"github.com/cosmos/cosmos-sdk/telemetry"
	sdktypes "github.com/cosmos/cosmos-sdk/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// The events of an applied upgrade: one of the first type, and one of the second for each store that the handler may write.
const (
	EventUpgrade = "wasm_upgrade"
	EventStore   = "wasm_upgrade_store"
)

// report writes the log, events and metrics, and hands the outcome to a rehearsal in this process.
func (u *Upgrade) report(ctx sdktypes.Context, done Outcome) {
	notifyObservers(done)
	logger := u.logger(ctx)
	labels := []metrics.Label{telemetry.NewLabel("plan", done.Plan)}
	if done.Err != nil {
		code := codeOf(done.Err)
		telemetry.IncrCounterWithLabels([]string{EventUpgrade, "failed"}, 1, append(labels, telemetry.NewLabel("code", code)))
		logger.Error("the upgrade handler failed, nothing was written", "plan", done.Plan, "code", code, "err", done.Err)
		return
	}
	telemetry.SetGaugeWithLabels([]string{EventUpgrade, "gas"}, float32(done.Report.Gas), labels)
	telemetry.SetGaugeWithLabels([]string{EventUpgrade, "seconds"}, float32(done.Elapsed.Seconds()), labels)
	telemetry.SetGaugeWithLabels([]string{EventUpgrade, "memory_bytes"}, float32(done.Report.MemoryPages)*pageBytes, labels)
	logger.Info("the upgrade handler was applied", "plan", done.Plan, "sha256", done.SHA256, "gas", done.Report.Gas,
		"seconds", done.Elapsed.Seconds())
	ctx.EventManager().EmitEvents(events(done))
	if u.options.Applied != nil {
		u.options.Applied(*done.Report, done.Elapsed)
	}
}

const pageBytes = 65_536

func events(done Outcome) sdktypes.Events {
	all := sdktypes.Events{sdktypes.NewEvent(EventUpgrade,
		sdktypes.NewAttribute("plan", done.Plan),
		sdktypes.NewAttribute("height", strconv.FormatInt(done.Height, 10)),
		sdktypes.NewAttribute("handler_sha256", done.SHA256),
		sdktypes.NewAttribute("gas", strconv.FormatUint(done.Report.Gas, 10)),
		sdktypes.NewAttribute("checks", strconv.Itoa(len(done.Report.Checks))),
	)}
	for _, store := range done.Report.Stores {
		all = append(all, sdktypes.NewEvent(EventStore,
			sdktypes.NewAttribute("plan", done.Plan),
			sdktypes.NewAttribute("store", store.Name),
			sdktypes.NewAttribute("written", strconv.FormatUint(store.Written, 10)),
			sdktypes.NewAttribute("deleted", strconv.FormatUint(store.Deleted, 10)),
			sdktypes.NewAttribute("bytes", strconv.FormatUint(store.Bytes, 10)),
			sdktypes.NewAttribute("writes_sha256", store.SHA256),
		))
	}
	return all
}

func codeOf(err error) string {
	var failure *upgrade.Error
	if errors.As(err, &failure) {
		return string(failure.Code)
	}
	return string(upgrade.CodeMigrationFailed)
}

func (u *Upgrade) logger(ctx sdktypes.Context) log.Logger {
	logger := u.options.Logger
	if logger == nil {
		logger = ctx.Logger()
	}
	return logger.With(log.ModuleKey, ReceiptsStore)
}

func (u *Upgrade) logTo(ctx sdktypes.Context) func(upgrade.LogLevel, string) {
	logger := u.logger(ctx).With("handler", u.Name())
	return func(level upgrade.LogLevel, line string) {
		switch level {
		case upgrade.LogError:
			logger.Error(line)
		case upgrade.LogWarn:
			warn(logger, line)
		case upgrade.LogDebug:
			logger.Debug(line)
		default:
			logger.Info(line)
		}
	}
}

// progressEvery is how often a long migration shows that it goes on.
const progressEvery = 5 * time.Second

func (u *Upgrade) progressTo(ctx sdktypes.Context) func(done, total int64) {
	logger := u.logger(ctx)
	last := time.Now()
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			logger.Info("the upgrade handler goes on", "plan", u.Name(), "progress", fmt.Sprintf("%d of %d", done, total))
		}
	}
}

// warn uses the level of that name where the logger has it: cosmossdk.io/log 1.2 does not.
func warn(logger log.Logger, line string) {
	if logger, ok := logger.(interface{ Warn(string, ...any) }); ok {
		logger.Warn(line)
		return
	}
	logger.Info(line, "level", "warn")
}
