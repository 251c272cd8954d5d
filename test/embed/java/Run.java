import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.runtime.GlobalInstance;
import com.dylibso.chicory.wasm.types.MutabilityType;
import com.google.protobuf.*;
import com.google.protobuf.UnknownFieldSet.Field;
import java.io.*;
import java.nio.ByteBuffer;
import java.util.*;

/** One run of a handler. It writes to copies of the stores; call it on a thread with a stack of 4 MiB or more. */
final class Run extends Guest {
    /** The plan's bytes are those in state; versions ascend by the bytes of their names. */
    record Input(String chainId, long height, long seconds, long nanos, byte[] plan, SortedMap<String, Long> versions,
        Map<String, TreeMap<byte[], byte[]>> stores) { }

    /** `writes`: the last one to each key, null a deletion; `bytes`: of keys and values of all writes. */
    static final class Store {
        Handler.Access access;
        TreeMap<byte[], byte[]> now, writes = new TreeMap<>(ORDER);
        long written, deleted, bytes;
        void write(byte[] key, byte[] value) {
            writes.put(key, value);
            if (value == null) now.remove(key); else now.put(key, value);
            if (value == null) deleted++; else written++;
            bytes += key.length + (value == null ? 0 : value.length);
        }
    }

    private static final String FAILED = "UPG_MIGRATION_FAILED", LAYOUT = "UPG_HANDLER_LAYOUT",
        MAP = "UPG_MIGRATION_VERSION_MAP", NO_GAS = "UPG_MIGRATION_OUT_OF_GAS", ENGINE = "UPG_HANDLER_ENGINE";
    /** Names ascend by their bytes; Java compares texts by UTF-16. */
    static final Comparator<String> NAMES = Comparator.comparing(name -> name.getBytes(UTF_8), ORDER);
    final List<Store> stores = new ArrayList<>();
    final Map<String, Boolean> checks = new LinkedHashMap<>();
    final Map<String, Long> versions = new HashMap<>();
    long gas = -1; // what was charged, at most the limit; -1: nothing was, or the run itself did not fail
    private final Handler handler;
    private final Input input;
    private final int batchBytes;
    private GlobalInstance left; // of the gas: ours until there is an instance, the module's from then on
    private long inPtr, inCap, outPtr, writes;
    private boolean mayWrite;

    Run(Handler handler, Input input, int batchBytes) {
        this.handler = handler;
        this.input = input;
        this.batchBytes = batchBytes;
    }

    void run(long gasLimit) {
        versions.putAll(input.versions);
        handler.manifest.versions().forEach((module, v) -> {
            Long stored = versions.put(module, Long.parseUnsignedLong(v.to()));
            need(v.from() == null ? stored == null
                : stored != null && v.from().contains(Long.toUnsignedString(stored)), LAYOUT);
        });
        handler.manifest.removes().forEach(versions::remove);
        left = new GlobalInstance(com.dylibso.chicory.wasm.types.Value.i64(gasLimit), MutabilityType.Var);
        Map<String, Long> returned;
        try {
            returned = steps();
        } finally {
            gas = Math.min(gasLimit, gasLimit - left.getValue());
        }
        if (returned == null || returned.equals(versions)) return;
        gas = -1;
        throw new Refused(MAP);
    }

    /** The version map that the handler returned, or null. */
    private Map<String, Long> steps() {
        charge(1_000L * handler.fileBytes);
        for (Handler.Access access : handler.manifest.stores()) {
            need(input.stores.containsKey(access.name()), LAYOUT);
            stores.add(new Store());
            stores.get(stores.size() - 1).access = access;
            stores.get(stores.size() - 1).now = new TreeMap<>(input.stores.get(access.name()));
        }
        instantiate(handler.metered);
        instance.exports().global("chain-upgrade:gas").setValue(left.getValue());
        left = instance.exports().global("chain-upgrade:gas");
        if (handler.exports.contains("_initialize")) callGuest("_initialize");
        inPtr = room("handler_in", inCap = 65_536);
        outPtr = room("handler_out", 262_144);
        mayWrite = true;
        byte[] out = output(ask("handler_run", give(context())));
        Map<String, Long> returned = out.length == 0 ? null : versionMap(out);
        for (int i = 0; i < handler.manifest.scans().size(); i++) scan(i, handler.manifest.scans().get(i));
        mayWrite = false;
        if (handler.exports.contains("handler_check")) readChecks(output(ask("handler_check", give(context()))));
        return returned;
    }

    private void charge(long price) {
        left.setValue(left.getValue() - price);
        need(left.getValue() >= 0, NO_GAS);
    }
    private int counter(String name) { return (int) instance.exports().global("chain-upgrade:" + name).getValue(); }

    private int callGuest(String export, long... args) {
        charge(2_000);
        try {
            int result = (int) call(export, args);
            charge(0); // a debt
            return result;
        } catch (Refused e) {
            throw e;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            boolean gaveUp = e instanceof Error || e.getCause() instanceof StackOverflowError;
            throw new Refused(gaveUp || counter("refused") == 1 ? ENGINE : left.getValue() < 0 ? NO_GAS
                : counter("stack") < 0 ? "UPG_HANDLER_STACK" : TRAP);
        }
    }

    /** A call whose result below 0 says that the handler failed; it may fail again when it says why. */
    private int ask(String export, long... args) {
        int result = callGuest(export, args);
        if (result >= 0) return result;
        try {
            if (handler.exports.contains("handler_err")) callGuest("handler_err");
        } catch (Refused e) {
            need(!e.getMessage().equals(ENGINE), ENGINE);
        }
        throw new Refused(FAILED);
    }

    private long room(String export, long cap) {
        long ptr = Integer.toUnsignedLong(callGuest(export, cap));
        need(ptr != 0, FAILED);
        inMemory(ptr, cap);
        return ptr;
    }

    private long give(byte[] bytes) {
        charge(bytes.length);
        if (bytes.length > inCap) inPtr = room("handler_in", inCap = bytes.length);
        inMemory(inPtr, bytes.length);
        return result(bytes, inPtr, inCap);
    }

    private byte[] output(int length) {
        need(length <= 262_144, TRAP);
        charge(length);
        return length == 0 ? new byte[0] : read(outPtr, length);
    }

    private byte[] context() {
        var map = new ByteArrayOutputStream();
        input.versions.forEach((name, version) -> map.writeBytes(message(message(name.getBytes(UTF_8), version))));
        byte[] chainId = input.chainId.isEmpty() ? null : input.chainId.getBytes(UTF_8);
        return message(chainId, input.height, message(input.seconds, input.nanos), input.plan, map.toByteArray());
    }

    /** Protobuf of the fields 1, 2 and so on: bytes, or a Long, which is left out when it is 0; null is left out. */
    private static byte[] message(Object... fields) {
        var message = UnknownFieldSet.newBuilder();
        for (int n = 1; n <= fields.length; n++) {
            Field.Builder field = Field.newBuilder();
            if (fields[n - 1] instanceof byte[] bytes) field.addLengthDelimited(ByteString.copyFrom(bytes));
            if (fields[n - 1] instanceof Long number && number != 0) field.addVarint(number);
            message.addField(n, field.build());
        }
        return message.build().toByteArray();
    }

    /** The entries of `repeated Entry = 1`, by wire types: their fields, each at most once; the first is a name. */
    private static List<Object[]> entries(byte[] message, String wireTypes, String code) {
        List<Object[]> entries = new ArrayList<>();
        try {
            for (var in = CodedInputStream.newInstance(message); !in.isAtEnd();) {
                need(in.readTag() == 10, code);
                ByteString bytes = in.readBytes();
                Object[] fields = new Object[wireTypes.length()];
                for (var entry = bytes.newCodedInput(); !entry.isAtEnd();) {
                    int tag = entry.readTag(), n = (tag >>> 3) - 1, from = entry.getTotalBytesRead();
                    need(n < fields.length && wireTypes.charAt(n) == '0' + (tag & 7) && fields[n] == null, code);
                    fields[n] = (tag & 7) == 0 ? (Object) entry.readUInt64() : entry.readByteArray();
                    int end = entry.getTotalBytesRead(); // the tenth byte of a number has one bit of the 64
                    need((tag & 7) != 0 || end - from < 10 || bytes.byteAt(end - 1) <= 1, code);
                }
                byte[] name = fields[0] == null ? new byte[0] : (byte[]) fields[0];
                String text = new String(name, UTF_8);
                need(name.length > 0 && name.length <= 140 && Arrays.equals(text.getBytes(UTF_8), name), code);
                need(text.chars().noneMatch(Character::isISOControl), code);
                fields[0] = text;
                entries.add(fields);
            }
        } catch (IOException e) {
            throw new Refused(code);
        }
        return entries;
    }

    private static Map<String, Long> versionMap(byte[] message) {
        TreeMap<String, Long> map = new TreeMap<>(NAMES);
        for (Object[] entry : entries(message, "20", MAP)) {
            need(map.isEmpty() || NAMES.compare(map.lastKey(), (String) entry[0]) < 0, MAP);
            map.put((String) entry[0], entry[1] == null ? 0 : (Long) entry[1]);
        }
        need(map.size() <= 1_024, MAP);
        return map;
    }

    private void readChecks(byte[] message) {
        for (Object[] entry : entries(message, "202", TRAP)) {
            boolean ok = entry[1] != null && (Long) entry[1] != 0;
            need(checks.put((String) entry[0], ok) == null && checks.size() <= 256, TRAP);
        }
        need(!checks.containsValue(false), "UPG_MIGRATION_INVARIANT");
    }

    /** A scan of the manifest: it does not see what this run wrote. */
    private void scan(int index, Handler.Scan scan) {
        byte[] prefix = HexFormat.of().parseHex(Objects.requireNonNullElse(scan.prefix(), ""));
        List<byte[]> frames = new ArrayList<>(); // that are not consumed
        range(input.stores.get(scan.store()), prefix, Handler.after(prefix)).forEach((k, v) -> frames.add(frame(k, v)));
        do {
            var batch = new ByteArrayOutputStream();
            List<Integer> ends = new ArrayList<>(List.of(0));
            for (byte[] frame : frames) {
                if (ends.size() > 1 && batch.size() + frame.length > batchBytes) break;
                batch.writeBytes(frame);
                ends.add(batch.size());
            }
            int pairs = ends.size() - 1;
            charge(2_000L * pairs);
            int length = ask("handler_batch", index, give(batch.toByteArray()), pairs == frames.size() ? 1 : 0);
            need(length >= 4, TRAP);
            ByteBuffer out = buffer(output(length));
            int consumed = ends.indexOf(out.getInt());
            need(consumed > 0 || pairs == 0 && consumed == 0, TRAP);
            frames.subList(0, consumed).clear();
            writeFrames(out);
        } while (!frames.isEmpty());
    }

    /** In the order of docs/abi.md: what comes first, a trap or the end of the gas, is the result. */
    @Override
    long imported(String name, long[] a) {
        switch (name) {
            case "store_get" -> {
                charge(200_000);
                byte[] value = store(a[0]).now.get(key(store(a[0]), a[1], a[2]));
                inMemory(a[3], a[4]);
                charge(value == null ? 0 : value.length);
                return result(value, a[3], a[4]);
            }
            case "store_set" -> {
                chargeWrite();
                byte[] key = key(writable(a[0]), a[1], a[2]);
                need(a[4] <= 1_048_576, TRAP);
                byte[] value = read(a[3], a[4]);
                charge(a[4] + beyond(a[4]));
                store(a[0]).write(key, value);
            }
            case "store_delete" -> {
                chargeWrite();
                writable(a[0]).write(key(store(a[0]), a[1], a[2]), null);
            }
            case "store_write" -> {
                charge(600);
                byte[] frames = read(a[0], a[1]);
                charge(a[1]);
                writeFrames(buffer(frames));
            }
            case "store_scan" -> { return storeScan(a); }
            case "log", "fail" -> {
                inMemory(a[1], a[2]);
                need(name.equals("log"), FAILED);
                charge(4_000 + 100 * Math.min(a[2], 4_096));
            }
            case "progress" -> charge(300);
            default -> throw new Refused(FAILED); // abort
        }
        return 0;
    }

    private long storeScan(long[] a) {
        charge(200_000);
        need(a[2] <= 65_536, TRAP);
        byte[] start = read(a[1], a[2]);
        need(a[4] <= 65_536, TRAP);
        byte[] end = read(a[3], a[4]), stop = end;
        charge(a[2] + a[4]);
        inMemory(a[5], a[6]);
        need(store(a[0]).access.has(start, end), TRAP);
        var out = new ByteArrayOutputStream();
        long tooLong = 0;
        for (var pair : range(store(a[0]).now, start, end).entrySet()) {
            byte[] frame = frame(pair.getKey(), pair.getValue());
            if (out.size() + frame.length > a[6]) {
                stop = pair.getKey();
                tooLong = frame.length;
                break;
            }
            charge(2_000 + frame.length);
            out.writeBytes(frame);
        }
        range(store(a[0]).writes, start, stop).forEach((k, v) -> charge(v == null ? 1_000 + 8L * k.length : 0));
        return out.size() == 0 ? tooLong : result(out.toByteArray(), a[5], a[6]);
    }

    private Store store(long index) {
        need(index < stores.size(), TRAP);
        return stores.get((int) index);
    }
    private Store writable(long index) {
        need(store(index).access.access().equals("rw") && mayWrite, TRAP);
        return store(index);
    }
    private byte[] key(Store store, long ptr, long len) {
        need(len > 0 && len <= 65_535, TRAP);
        byte[] key = read(ptr, len);
        charge(len + beyond(len));
        need(store.access.has(key, key), TRAP);
        return key;
    }
    private static long beyond(long length) { return 12 * Math.max(0, length - 1_024); }
    /** `put` and `delete` have one price; the first 10,000 writes cost `writeAlone` besides. */
    private void chargeWrite() { charge(writes++ < 10_000 ? 82_000 : 12_000); }

    private void writeFrames(ByteBuffer in) {
        while (in.hasRemaining()) {
            int head = buffer(take(in, 4)).getInt(), klen = head & 0xffffff;
            long vlen = head >>> 30 == 0 ? Integer.toUnsignedLong(buffer(take(in, 4)).getInt()) : 0;
            need(head >>> 30 <= 1 && klen > 0 && klen <= 65_535 && vlen <= 1_048_576, TRAP);
            byte[] key = take(in, klen), value = head >>> 30 == 0 ? take(in, vlen) : null;
            Store store = writable(head >>> 24 & 63);
            need(store.access.has(key, key), TRAP);
            chargeWrite();
            charge(beyond(klen) + beyond(vlen));
            store.write(key, value);
        }
    }

    private static byte[] take(ByteBuffer in, long size) {
        need(size <= in.remaining(), TRAP);
        byte[] bytes = new byte[(int) size];
        in.get(bytes);
        return bytes;
    }
}
