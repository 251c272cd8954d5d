//go:build campaign

package campaign

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// node is a running process with its own CometBFT.
type node struct {
	t      *testing.T
	binary string
	home   string
	port   int
	cmd    *exec.Cmd
	log    *journal
	ended  chan struct{}
}

// journal is a process's output, read while it is written.
type journal struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (j *journal) Write(part []byte) (int, error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.text.Write(part)
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (j *journal) String() string {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return colour.ReplaceAllString(j.text.String(), "")
}

// start runs a node; environment has settings such as EXAMPLED_UPGRADE_HANDLER=….
func start(t *testing.T, binary, home string, environment ...string) *node {
	t.Helper()
	n := &node{t: t, binary: binary, home: home, port: freePort(t), log: &journal{}, ended: make(chan struct{})}
	n.cmd = exec.Command(binary, "start", "--home", home, "--minimum-gas-prices", "0stake", "--grpc.enable=false",
		"--rpc.laddr", fmt.Sprintf("tcp://127.0.0.1:%d", n.port),
		"--p2p.laddr", fmt.Sprintf("tcp://127.0.0.1:%d", freePort(t)))
	n.cmd.Env = append(os.Environ(), environment...)
	n.cmd.Stdout, n.cmd.Stderr = n.log, n.log
	must(t, n.cmd.Start())
	go func() {
		_ = n.cmd.Wait()
		close(n.ended)
	}()
	t.Cleanup(n.stop)
	return n
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func (n *node) stop() {
	select {
	case <-n.ended:
		return
	default:
	}
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.ended:
	case <-time.After(20 * time.Second):
		_ = n.cmd.Process.Kill()
		<-n.ended
	}
}

const patience = 3 * time.Minute

// until asks again and again.
func (n *node) until(what string, holds func() bool) {
	n.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return
		}
	}
	n.t.Fatalf("%s: not in %s\n%s", what, patience, tail(n.log.String()))
}

// says waits for a part of the log.
func (n *node) says(part string) {
	n.t.Helper()
	n.until(part, func() bool { return strings.Contains(n.log.String(), part) })
}

// waitForEnd waits until the process has ended by itself.
func (n *node) waitForEnd() string {
	n.t.Helper()
	select {
	case <-n.ended:
	case <-time.After(patience):
		n.t.Fatalf("the process goes on\n%s", tail(n.log.String()))
	}
	return n.log.String()
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

// get asks the RPC; false while it does not answer.
func (n *node) get(path string, into any) bool {
	response, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/%s", n.port, path))
	if err != nil {
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var answer struct{ Result json.RawMessage }
	return err == nil && json.Unmarshal(body, &answer) == nil && answer.Result != nil && json.Unmarshal(answer.Result, into) == nil
}

func (n *node) height() int64 {
	var status struct {
		SyncInfo struct {
			Height string `json:"latest_block_height"`
		} `json:"sync_info"`
	}
	if !n.get("status", &status) {
		return 0
	}
	height, _ := strconv.ParseInt(status.SyncInfo.Height, 10, 64)
	return height
}

func (n *node) reach(height int64) {
	n.t.Helper()
	n.until(fmt.Sprintf("block %d", height), func() bool { return n.height() >= height })
}

// event is one of a block's.
type event struct {
	Type       string
	Attributes []struct{ Key, Value string }
}

// results are the app hash of a block, upper-case hex, and its events.
func (n *node) results(height int64) (appHash string, events []event) {
	n.t.Helper()
	var results struct {
		AppHash string  `json:"app_hash"`
		Events  []event `json:"finalize_block_events"`
	}
	n.until("results of a block", func() bool { return n.get(fmt.Sprintf("block_results?height=%d", height), &results) })
	hash, err := base64.StdEncoding.DecodeString(results.AppHash)
	must(n.t, err)
	return strings.ToUpper(fmt.Sprintf("%x", hash)), results.Events
}

// value of a key in a store, nil when it is absent.
func (n *node) value(store string, key []byte) []byte {
	n.t.Helper()
	var answer struct{ Response struct{ Value []byte } }
	n.until("a value", func() bool {
		return n.get(fmt.Sprintf(`abci_query?path="/store/%s/key"&data=0x%x`, store, key), &answer)
	})
	return answer.Response.Value
}
