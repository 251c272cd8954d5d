package upgrade

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// check.wasm (docs/abi.md) decides whether a file is a handler, makes its metered module, and reads and writes receipts.

//go:embed check.wasm
var checkWasm []byte

const (
	// checkSHA256 is check.sha256 of assembly/abi.json.
	checkSHA256    = "b6435515772e2a2df69e43865100745e4775dabc36fff71c776c49c566713cbc"
	checkABIMajor  = 1
	checkPagesMax  = 1_024
	checkIsInvalid = 1
)

// checkModule is check.wasm, compiled by its first use in the process and kept.
var checkModule struct {
	sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// checker is an instance of check.wasm for one piece of work. Its memory may grow to 64 MiB, so there is one at a time.
type checker struct {
	module api.Module
}

// withChecker makes an instance, lets it work, and drops it.
func withChecker(work func(c *checker) error) (err error) {
	defer recoverInto(&err, "check.wasm could not run")
	checkModule.Lock()
	defer checkModule.Unlock()
	if checkModule.compiled == nil {
		if err := compileChecker(checkWasm); err != nil {
			return err
		}
	}
	// No context of a caller: what it carries for wazero is meant for the handler.
	ctx := context.Background()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	module, err := checkModule.runtime.InstantiateModule(ctx, checkModule.compiled, config)
	if err != nil {
		return engineError("the engine could not instantiate check.wasm", err)
	}
	defer module.Close(ctx)
	c := &checker{module}
	abi, err := c.call("check_abi")
	if err != nil {
		return err
	}
	if abi>>16 != checkABIMajor {
		return coreMisfit("check.wasm speaks interface %d, this host %d", abi>>16, checkABIMajor)
	}
	return work(c)
}

func compileChecker(wasm []byte) error {
	if sum := sha256.Sum256(wasm); hex.EncodeToString(sum[:]) != checkSHA256 {
		return coreMisfit("the SHA-256 of check.wasm is %x, this host was written for %s", sum, checkSHA256)
	}
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(coreFeatures).WithMemoryLimitPages(checkPagesMax)
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		_ = runtime.Close(ctx)
		return engineError("the engine could not compile check.wasm", err)
	}
	checkModule.runtime, checkModule.compiled = runtime, compiled
	return nil
}

// call fails with UPG_HANDLER_ENGINE for a trap, which is never a result.
func (c *checker) call(name string, args ...uint64) (int32, error) {
	results, err := c.module.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		return 0, engineError("check.wasm trapped in "+name, err)
	}
	return int32(results[0]), nil
}

// put copies the next input into the instance; not ok when it is longer than any input may be.
func (c *checker) put(input []byte) (ok bool, err error) {
	if len(input) > handlerBytesMax {
		return false, nil
	}
	pointer, err := c.call("check_input", uint64(len(input)))
	if err != nil {
		return false, err
	}
	if !c.module.Memory().Write(uint32(pointer), input) {
		return false, coreMisfit("check.wasm gave room outside its memory")
	}
	return true, nil
}

// take copies bytes out: export returns where they are, and export with _len how many.
func (c *checker) take(export string) ([]byte, error) {
	pointer, err := c.call(export)
	if err != nil {
		return nil, err
	}
	length, err := c.call(export + "_len")
	if err != nil {
		return nil, err
	}
	view, ok := c.module.Memory().Read(uint32(pointer), uint32(length))
	if !ok {
		return nil, coreMisfit("check.wasm named bytes outside its memory")
	}
	return bytes.Clone(view), nil
}

// checkFile checks a file; isInvalid: the engine refused it. A file that is too long waits for no other check.
func checkFile(file []byte, isInvalid bool) (checked *checkedFile, err error) {
	if len(file) > handlerBytesMax {
		return tooLong(), nil
	}
	err = withChecker(func(c *checker) error {
		flags := uint64(0)
		if isInvalid {
			flags = checkIsInvalid
		}
		if _, err := c.put(file); err != nil {
			return err
		}
		checked, err = c.check(len(file), flags)
		return err
	})
	return checked, err
}

// tooLong is what check.wasm finds by the length alone.
func tooLong() *checkedFile {
	const what = "the file is longer than the %d bytes that are allowed; strip debug sections and build for size"
	return &checkedFile{findings: []finding{{code: CodeHandlerLimit, message: fmt.Sprintf(what, handlerBytesMax)}}}
}

// check calls check_file for the input that was put, of this length.
func (c *checker) check(length int, flags uint64) (*checkedFile, error) {
	if _, err := c.call("check_file", uint64(length), flags); err != nil {
		return nil, err
	}
	result, err := c.take("check_result")
	if err != nil {
		return nil, err
	}
	checked, err := decodeFileCheck(result)
	if err != nil {
		return nil, coreMisfit("check.wasm returned what is no FileCheck: %v", err).because(err)
	}
	checked.metered, err = c.take("check_metered")
	return checked, err
}

// convertReceipt calls receipt_encode or receipt_decode; not ok when it refuses the input.
func convertReceipt(export string, input []byte) (output []byte, ok bool, err error) {
	err = withChecker(func(c *checker) error {
		fits, err := c.put(input)
		if err != nil || !fits {
			return err
		}
		length, err := c.call(export, uint64(len(input)))
		if err != nil || length < 0 {
			return err
		}
		ok = true
		output, err = c.take("check_result")
		return err
	})
	return output, ok, err
}
