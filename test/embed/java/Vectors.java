import com.dylibso.chicory.wasm.Parser;
import com.google.gson.*;
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.security.*;
import java.util.*;
import java.util.zip.GZIPInputStream;

/** Replays the vectors: `java Vectors DIRECTORY CORE.WASM [EVERY]`. Exits 1 when something differs. */
final class Vectors {
    static boolean wrong;

    public static void main(String[] args) throws Exception {
        int every = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        Throwable[] failure = new Throwable[1];
        Thread thread = new Thread(null, () -> {
            try {
                coreCalls(read(Path.of(args[0], "core-calls.json.gz")), Files.readAllBytes(Path.of(args[1])));
                handlerCases(read(Path.of(args[0], "handler-cases.json.gz")), every);
            } catch (Throwable e) {
                failure[0] = e;
            }
        }, "vectors", 1L << 26); // Chicory recurses on Java's stack: 1 MiB, the default, is too little
        thread.start();
        thread.join();
        if (failure[0] != null) failure[0].printStackTrace();
        System.exit(wrong || failure[0] != null ? 1 : 0);
    }

    static JsonObject read(Path path) throws IOException {
        try (var in = new InputStreamReader(new GZIPInputStream(Files.newInputStream(path)), "UTF-8")) {
            return JsonParser.parseReader(in).getAsJsonObject();
        }
    }

    static byte[] hex(String hex) { return HexFormat.of().parseHex(hex); }
    static String hex(byte[] bytes) { return HexFormat.of().formatHex(bytes); }

    static byte[] sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    /** Reports at most ten. */
    static int report(String label, List<String> differences, int before) {
        if (differences.isEmpty()) return before;
        wrong = true;
        if (before < 10) System.out.println("  " + label + ": " + String.join("; ", differences));
        return before + 1;
    }

    static void same(List<String> wrongs, String what, Object expected, Object got) {
        if (!Objects.equals(expected, got)) wrongs.add(what + ": expected " + expected + ", got " + got);
    }

    static String text(JsonObject object, String name) {
        return object.has(name) ? object.get(name).getAsString() : null;
    }

    // core.wasm

    static void coreCalls(JsonObject file, byte[] wasm) throws NoSuchAlgorithmException {
        long began = System.nanoTime();
        var module = Parser.parse(wasm);
        if (!text(file, "source").contains(hex(sha256(wasm)))) throw new IllegalStateException("another core.wasm");
        Core core = new Core(module);
        int calls = 0, bad = 0;
        for (JsonElement one : file.getAsJsonArray("cases")) {
            core.store = pairs(new JsonArray());
            for (JsonElement call : one.getAsJsonObject().getAsJsonArray("calls")) {
                List<String> wrongs = new ArrayList<>();
                boolean trapped = coreCall(core, call.getAsJsonObject(), wrongs);
                String label = text(one.getAsJsonObject(), "label") + " " + text(call.getAsJsonObject(), "call");
                bad = report(label, wrongs, bad);
                calls++;
                if (!trapped) continue;
                TreeMap<byte[], byte[]> store = core.store;
                core = new Core(module);
                core.store = store;
            }
        }
        System.out.printf("core-calls: %d calls, %d wrong (%.1f s)%n", calls, bad, (System.nanoTime() - began) / 1e9);
    }

    /** Whether it trapped. */
    static boolean coreCall(Core core, JsonObject call, List<String> wrongs) {
        if (call.has("before")) core.store = pairs(call.getAsJsonArray("before"));
        TreeMap<byte[], byte[]> due = new TreeMap<>(core.store);
        if (call.has("store")) due = pairs(call.getAsJsonArray("store"));
        core.call("core_reset");
        List<Long> args = new ArrayList<>();
        int room = 0;
        byte[] out = new byte[0];
        for (JsonElement arg : call.getAsJsonArray("args")) {
            String[] kind = arg.getAsString().split(":", 2);
            if (kind[0].startsWith("i") && !kind[0].equals("in")) {
                args.add(Long.parseLong(kind[1]));
                continue;
            }
            byte[] bytes = kind[0].equals("in") ? hex(kind[1]) : new byte[Integer.parseInt(kind[1])];
            int at = (int) core.call("core_alloc", bytes.length);
            if (kind[0].equals("out")) {
                Arrays.fill(bytes, (byte) 0xa5);
                room = at;
                out = bytes;
            }
            core.instance.memory().write(at, bytes);
            args.add((long) at);
            args.add((long) bytes.length);
        }
        String result;
        try {
            result = Long.toString(core.call(text(call, "call"), args.stream().mapToLong(a -> a).toArray()));
        } catch (RuntimeException e) {
            result = "trap";
        }
        same(wrongs, "result", call.has("trap") ? "trap" : text(call, "result"), result);
        if (call.has("out")) System.arraycopy(hex(text(call, "out")), 0, out, 0, text(call, "out").length() / 2);
        same(wrongs, "out", hex(out), hex(core.instance.memory().readBytes(room, out.length)));
        if (call.has("error")) {
            int at = (int) core.call("core_err");
            JsonObject error = call.getAsJsonObject("error");
            same(wrongs, "code", error.get("code").getAsLong(), core.instance.memory().readU32(at));
            int length = core.instance.memory().readInt(at + 4);
            same(wrongs, "message", text(error, "message"), core.instance.memory().readString(at + 8, length));
        }
        if (!isSame(due, core.store)) wrongs.add("store: another");
        return result.equals("trap");
    }

    static TreeMap<byte[], byte[]> pairs(JsonArray pairs) {
        TreeMap<byte[], byte[]> map = new TreeMap<>(Guest.ORDER);
        for (JsonElement pair : pairs) {
            map.put(hex(pair.getAsJsonArray().get(0).getAsString()), hex(pair.getAsJsonArray().get(1).getAsString()));
        }
        return map;
    }

    static boolean isSame(TreeMap<byte[], byte[]> due, TreeMap<byte[], byte[]> got) {
        var other = got.entrySet().iterator();
        return due.size() == got.size() && due.entrySet().stream().allMatch(pair -> {
            var found = other.next();
            return Arrays.equals(pair.getKey(), found.getKey()) && Arrays.equals(pair.getValue(), found.getValue());
        });
    }

    // Handlers.

    static void handlerCases(JsonObject file, int every) throws NoSuchAlgorithmException {
        long began = System.nanoTime();
        Map<String, byte[]> guests = new HashMap<>();
        for (JsonElement guest : file.getAsJsonArray("guests")) {
            byte[] wasm = Base64.getDecoder().decode(text(guest.getAsJsonObject(), "wasm"));
            guests.put(text(guest.getAsJsonObject(), "name"), wasm);
        }
        Map<String, Run.Input> inputs = new HashMap<>();
        for (JsonElement input : file.getAsJsonArray("inputs")) {
            inputs.put(text(input.getAsJsonObject(), "name"), input(input.getAsJsonObject()));
        }
        Map<String, Handler> handlers = new HashMap<>();
        int runs = 0, refused = 0, bad = 0, at = 0;
        for (JsonElement item : file.getAsJsonArray("cases")) {
            JsonObject one = item.getAsJsonObject();
            if (at++ % every != 0) continue;
            if (!one.has("input")) {
                refused++;
                continue;
            }
            runs++;
            List<String> wrongs = new ArrayList<>();
            byte[] wasm = guests.get(text(one, "guest"));
            if (!handlers.containsKey(text(one, "guest"))) {
                handlers.put(text(one, "guest"), new Handler(wasm, sha256(wasm)));
            }
            try {
                run(one, handlers.get(text(one, "guest")), inputs.get(text(one, "input")), wrongs);
            } catch (RuntimeException e) {
                wrongs.add("threw " + e);
            }
            bad = report(text(one, "label"), wrongs, bad);
        }
        System.out.printf("handler-cases: %d runs, %d wrong, %d refused files left out (%.1f s)%n", runs, bad, refused,
            (System.nanoTime() - began) / 1e9);
    }

    static Run.Input input(JsonObject input) throws NoSuchAlgorithmException {
        TreeMap<String, Long> versions = new TreeMap<>(Run.NAMES);
        JsonObject stored = input.getAsJsonObject("versions"), time = input.getAsJsonObject("time");
        for (String module : stored.keySet()) versions.put(module, Long.parseUnsignedLong(text(stored, module)));
        Map<String, TreeMap<byte[], byte[]>> stores = new HashMap<>();
        for (var store : input.getAsJsonObject("stores").entrySet()) {
            boolean isList = store.getValue().isJsonArray();
            stores.put(store.getKey(), isList ? pairs(store.getValue().getAsJsonArray())
                : byRule(store.getValue().getAsJsonObject()));
        }
        return new Run.Input(text(input, "chain_id"), input.get("height").getAsLong(),
            time.get("seconds").getAsLong(), time.get("nanos").getAsLong(), hex(text(input, "plan")), versions, stores);
    }

    static TreeMap<byte[], byte[]> byRule(JsonObject rule) throws NoSuchAlgorithmException {
        TreeMap<byte[], byte[]> map = new TreeMap<>(Guest.ORDER);
        int least = rule.getAsJsonArray("value_bytes").get(0).getAsInt();
        int greatest = rule.getAsJsonArray("value_bytes").get(1).getAsInt();
        for (long i = 0; i < rule.get("count").getAsLong(); i++) {
            byte[] h = sha256(ByteBuffer.allocate(8).putLong(i).array());
            String key = text(rule, "prefix") + hex(h).substring(0, 2 * rule.get("key_bytes").getAsInt());
            byte[] value = new byte[least + ((h[31] & 255) * 256 + (h[30] & 255)) % (greatest - least + 1)];
            for (int n = 0; n < value.length; n++) value[n] = h[n % 32];
            map.put(hex(key), value);
        }
        return map;
    }

    static void run(JsonObject one, Handler handler, Run.Input input, List<String> wrongs)
        throws NoSuchAlgorithmException {
        Run run = new Run(handler, input, one.has("batch_bytes") ? one.get("batch_bytes").getAsInt() : 65_536);
        String error = null;
        try {
            run.run(Long.parseLong(one.has("gas_limit") ? text(one, "gas_limit") : handler.manifest.gasLimit()));
        } catch (Guest.Refused e) {
            error = e.getMessage();
        }
        same(wrongs, "error", text(one, "error"), error);
        same(wrongs, "gas", text(one, "gas"), run.gas < 0 ? null : Long.toString(run.gas));
        if (error != null || one.has("error")) return;
        same(wrongs, "memory_pages", one.get("memory_pages").getAsInt(), run.instance.memory().pages());
        Map<String, String> versions = new HashMap<>(), dueVersions = new HashMap<>();
        run.versions.forEach((module, version) -> versions.put(module, Long.toUnsignedString(version)));
        one.getAsJsonObject("versions").asMap().forEach((module, v) -> dueVersions.put(module, v.getAsString()));
        same(wrongs, "versions", dueVersions, versions);
        List<String> checks = new ArrayList<>();
        for (JsonElement check : one.getAsJsonArray("checks")) {
            checks.add(text(check.getAsJsonObject(), "name") + "=" + text(check.getAsJsonObject(), "ok"));
        }
        same(wrongs, "checks", checks, run.checks.entrySet().stream().map(Object::toString).toList());
        JsonObject due = one.getAsJsonObject("stores");
        var written = run.stores.stream().filter(s -> s.access.access().equals("rw")).toList();
        same(wrongs, "stores", due.size(), written.size());
        for (Run.Store store : written) {
            JsonObject counts = due.getAsJsonObject(store.access.name());
            Map<String, Object> got = Map.of("written", store.written, "deleted", store.deleted, "bytes", store.bytes,
                "writes", store.writes.size(), "writes_sha256", framesHash(store.writes),
                "pairs", store.now.size(), "pairs_sha256", framesHash(store.now));
            got.forEach((name, value) -> same(wrongs, name, text(counts, name), value.toString()));
        }
    }

    static String framesHash(TreeMap<byte[], byte[]> pairs) throws NoSuchAlgorithmException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pairs.forEach((key, value) -> all.writeBytes(value != null ? Guest.frame(key, value)
            : Guest.buffer(new byte[4 + key.length]).putInt(1 << 30 | key.length).put(key).array()));
        return hex(sha256(all.toByteArray()));
    }
}
