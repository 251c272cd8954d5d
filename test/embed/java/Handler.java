import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.wasm.*;
import com.dylibso.chicory.wasm.types.UnknownCustomSection;
import com.google.gson.Gson;
import java.security.*;
import java.util.*;

/** A handler's file: its manifest, and the metered module, which is what runs. */
final class Handler {
    record Access(String name, String access, List<String> prefixes) {
        /** All keys from `start` until `end` begin with one of the prefixes; a key is asked for as both. */
        boolean has(byte[] start, byte[] end) {
            return prefixes == null || prefixes.stream().map(HexFormat.of()::parseHex).anyMatch(p -> {
                byte[] after = after(p);
                boolean ends = after.length == 0 || end.length > 0 && Arrays.compareUnsigned(end, after) <= 0;
                return ends && Arrays.equals(Arrays.copyOf(start, Math.min(start.length, p.length)), p);
            });
        }
    }
    record Versions(List<String> from, String to) { }
    record Scan(String store, String prefix) { }
    record Manifest(String gasLimit, List<Access> stores, Map<String, Versions> versions, List<String> removes,
        List<Scan> scans) {
        Manifest {
            if (removes == null) removes = List.of();
            if (scans == null) scans = List.of();
        }
    }

    final Manifest manifest;
    final WasmModule metered;
    final int fileBytes;
    final Set<String> exports = new HashSet<>();

    Handler(byte[] file, byte[] sha256) throws NoSuchAlgorithmException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(file);
        Guest.need(Arrays.equals(hash, sha256), "UPG_HANDLER_HASH");
        fileBytes = file.length;
        WasmModule own = Parser.parse(file);
        Guest.need(own.customSection("chain-upgrade.metered") != null, "UPG_HANDLER_METERED");
        metered = Parser.parse(bytes(own, "chain-upgrade.metered"));
        manifest = new Gson().fromJson(new String(bytes(own, "chain-upgrade.manifest"), UTF_8), Manifest.class);
        var section = metered.exportSection();
        for (int i = 0; i < section.exportCount(); i++) exports.add(section.getExport(i).name());
        var counters = List.of("chain-upgrade:gas", "chain-upgrade:stack", "chain-upgrade:refused");
        Guest.need(exports.containsAll(counters), "UPG_HANDLER_METERED");
    }

    private static byte[] bytes(WasmModule module, String section) {
        return ((UnknownCustomSection) module.customSection(section)).bytes();
    }

    /** The first key after all that begin with this prefix; no bytes: there is none, all of the prefix is `ff`. */
    static byte[] after(byte[] prefix) {
        int n = prefix.length;
        while (n > 0 && prefix[n - 1] == -1) n--;
        byte[] end = Arrays.copyOf(prefix, n);
        if (n > 0) end[n - 1]++;
        return end;
    }
}
