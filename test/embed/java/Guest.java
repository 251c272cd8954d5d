import com.dylibso.chicory.runtime.*;
import com.dylibso.chicory.wasm.WasmModule;
import com.dylibso.chicory.wasm.types.*;
import java.nio.*;
import java.util.*;

/**
 * A host in Java, written from docs/abi.md and docs/gas.md alone: this, Core, Handler and Run. It leaves out the checks
 * of a file that its pinned SHA-256 makes needless, the guards of a chain (`allows`), receipts and roots. It shows
 * nothing of what a guest says: log lines, progress, the messages of failures and checks.
 */
abstract class Guest {
    /** A file or a run that ended with a code of docs/errors.md, which is the message. */
    static final class Refused extends RuntimeException { Refused(String code) { super(code); } }

    static final String TRAP = "UPG_HANDLER_TRAP";
    static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;
    Instance instance;

    /** A call of an import; what has 32 bits is unsigned in `args`. */
    abstract long imported(String name, long[] args);

    void instantiate(WasmModule module) {
        var imports = ImportValues.builder();
        module.importSection().stream().map(FunctionImport.class::cast).forEach(f -> {
            FunctionType type = module.typeSection().getType(f.typeIndex());
            imports.addFunction(new HostFunction(f.module(), f.name(), type, (i, args) -> {
                long result = imported(f.name(), Arrays.stream(args).map(a -> a & 0xffffffffL).toArray());
                return type.returns().isEmpty() ? new long[0] : new long[] {result};
            }));
        });
        instance = Instance.builder(module).withMemoryFactory(ByteArrayMemory::new).withStart(false)
            .withImportValues(imports.build()).build();
    }

    long call(String export, long... args) {
        long[] results = instance.export(export).apply(args);
        return results == null || results.length == 0 ? 0 : results[0];
    }

    static void need(boolean holds, String code) { if (!holds) throw new Refused(code); }
    void inMemory(long ptr, long len) { need(ptr + len <= 65_536L * instance.memory().pages(), TRAP); }

    byte[] read(long ptr, long len) {
        inMemory(ptr, len);
        return instance.memory().readBytes((int) ptr, (int) len);
    }

    /** `out, cap`: the size, and the bytes where they fit; null is ABSENT. */
    long result(byte[] bytes, long out, long cap) {
        if (bytes == null) return -1;
        if (bytes.length <= cap) instance.memory().write((int) out, bytes);
        return bytes.length;
    }

    /** The pairs from `start` on, before `end` (no bytes: open); none where the end is not after the start. */
    static NavigableMap<byte[], byte[]> range(TreeMap<byte[], byte[]> map, byte[] start, byte[] end) {
        if (end.length == 0) return map.tailMap(start, true);
        return map.subMap(start, true, ORDER.compare(start, end) < 0 ? end : start, false);
    }

    static ByteBuffer buffer(byte[] bytes) { return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN); }
    static byte[] frame(byte[] key, byte[] value) {
        return buffer(new byte[8 + key.length + value.length]).putInt(key.length).putInt(value.length)
            .put(key).put(value).array();
    }
}
