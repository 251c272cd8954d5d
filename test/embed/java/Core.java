import com.dylibso.chicory.wasm.WasmModule;
import java.util.TreeMap;

/** core.wasm over a sorted store. It keeps no state between calls, so `store` may be another branch at any time. */
final class Core extends Guest {
    TreeMap<byte[], byte[]> store = new TreeMap<>(ORDER);

    Core(WasmModule module) {
        instantiate(module);
        call("_initialize");
        if (call("core_abi") >> 16 != 1) throw new IllegalStateException("core.wasm has another major version");
    }

    @Override
    long imported(String name, long[] a) {
        byte[] key = read(a[0], a[1]);
        switch (name) {
            case "get" -> { return result(store.get(key), a[2], a[3]); }
            case "set" -> store.put(key, read(a[2], a[3]));
            case "delete" -> store.remove(key);
            default -> {
                var first = range(store, key, read(a[2], a[3])).firstEntry();
                return result(first == null ? null : frame(first.getKey(), first.getValue()), a[4], a[5]);
            }
        }
        return 0;
    }
}
