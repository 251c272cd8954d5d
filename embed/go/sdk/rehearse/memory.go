package rehearse

import (
	"os"
	"strconv"
	"strings"
)

// peakMemory is the most that this process had in memory, in bytes; 0 where the system has no /proc.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}
