(ns vectors
  "Replays core-calls.json.gz and handler-cases.json.gz of test/vectors, whose README.md says what is in them."
  (:require [clojure.data.json :as json] [clojure.java.io :as io] [clojure.string :as string]
            [host :refer [bytes-of frame from-hex from-utf8 of-bytes read-bytes read-u32 u32 utf8 write-bytes]])
  (:import (com.dylibso.chicory.wasm ChicoryException)
           (java.security MessageDigest)
           (java.util Base64 HexFormat)
           (java.util.zip GZIPInputStream)))

(defn- read-vectors [folder name]
  ;; As one text: data.json takes twice as long for a stream of characters.
  (with-open [stream (GZIPInputStream. (io/input-stream (str folder "/" name ".json.gz")))]
    (json/read-str (slurp stream))))

(defn- sha256 [s] (of-bytes (.digest (MessageDigest/getInstance "SHA-256") (bytes-of s))))
(defn- digest [parts] (.formatHex (HexFormat/of) (bytes-of (sha256 (string/join parts)))))

(defn- pairs-of [list] (into (sorted-map) (map #(mapv from-hex %)) list))

;; Calls of core.wasm

(def untouched "\u00aa")

(defn- place [guest s]
  (let [at (host/call guest "core_alloc" (count s))]
    (write-bytes guest at s)
    [at (count s)]))

(defn- argument [guest text]
  (let [[kind value] (string/split text #":" 2)]
    (case kind
      "in" (place guest (from-hex value))
      "out" (place guest (.repeat ^String untouched (parse-long value)))
      [(parse-long value)])))

(defn- last-error [guest]
  (let [at (host/call guest "core_err")
        [code size] (map #(read-u32 (read-bytes guest at 8) %) [0 4])]
    {"code" code "message" (from-utf8 (read-bytes guest (+ at 8) size))}))

;; Whether a call goes as it is recorded, and a guest for the next: after a trap a new one.
(defn- replay-call [module store guest {:strs [before call args result out error] :as recorded}]
  (when before (reset! store (pairs-of before)))
  (host/call guest "core_reset")
  (let [after (if-let [pairs (recorded "store")] (pairs-of pairs) @store)
        placed (mapv #(argument guest %) args)
        got (try (str (host/transact guest store call (apply concat placed))) (catch ChicoryException _ "trap"))
        [room size] (when (some-> (last args) (string/starts-with? "out:")) (last placed))
        expected (when room (str (from-hex (or out "")) (.repeat ^String untouched (- size (/ (count out) 2)))))]
    [(and (= [result after] [got @store])
          (or (nil? room) (= expected (read-bytes guest room size)))
          (or (nil? error) (= error (last-error guest))))
     (if (= "trap" got) (host/open-core module store) guest)]))

;; The core keeps no state between calls: one instance serves many cases, each of which begins with an empty store.
(defn- replay-calls [module cases]
  (let [store (atom (sorted-map))
        calls (mapcat (fn [{[first & others] "calls"}] (cons (merge {"before" []} first) others)) cases)
        replay (fn [[_ guest] call] (replay-call module store guest call))]
    (mapv first (rest (reductions replay [true (host/open-core module store)] calls)))))

;; Runs of handlers

(defn- generated-pair [{:strs [prefix key_bytes] [least greatest] "value_bytes"} i]
  (let [hash (sha256 (str (u32 0) (string/reverse (u32 i))))
        [low high] (map #(int (nth hash %)) [30 31])
        size (+ least (mod (+ (* 256 high) low) (inc (- greatest least))))]
    [(str (from-hex prefix) (subs hash 0 key_bytes)) (subs (.repeat ^String hash (inc (quot size 32))) 0 size)]))

(defn- read-input [{:strs [chain_id height plan versions stores] {:strs [seconds nanos]} "time"}]
  {:chain-id (utf8 chain_id) :height (bigint height) :seconds (bigint seconds) :nanos nanos :plan (from-hex plan)
   :versions (into (sorted-map) (for [[name version] versions] [(utf8 name) (bigint version)]))
   :pairs (update-vals stores #(if (map? %)
                                 (into (sorted-map) (map (partial generated-pair %)) (range (% "count")))
                                 (pairs-of %)))})

(defn- change-frame [[key value]]
  (if value (frame [key value]) (str (u32 (bit-or (bit-shift-left 1 30) (count key))) key)))

(defn- as-recorded [{:keys [error gas pages versions checks stores]}]
  (if error
    (cond-> {"error" error} gas (assoc "gas" (str gas)))
    {"gas" (str gas) "memory_pages" pages "versions" (into {} (for [[name n] versions] [(from-utf8 name) (str n)]))
     "checks" (set (map from-utf8 checks))
     "stores" (into {} (for [{:keys [name access written deleted bytes changes pairs]} stores :when (= "rw" access)]
                         [name {"written" written "deleted" deleted "bytes" bytes
                                "writes" (count changes) "writes_sha256" (digest (map change-frame changes))
                                "pairs" (count pairs) "pairs_sha256" (digest (map frame pairs))}]))}))

(defn- run-is-right [guests inputs {:strs [label guest input gas_limit batch_bytes checks stores] :as recorded}]
  (let [{:keys [gas-limit] :as handler} @(guests guest)
        limit (if gas_limit (parse-long gas_limit) gas-limit)
        got (as-recorded (host/execute handler @(inputs input) limit (or batch_bytes 65536)))
        expected (cond-> (select-keys recorded ["error" "gas" "memory_pages" "versions"])
                   checks (assoc "checks" (set (map #(% "name") checks)))
                   stores (assoc "stores" (update-vals stores #(dissoc % "root"))))]
    (when (not= expected got) (println label "\n  expected" expected "\n  got     " got))
    (= expected got)))

(defn- wrong [results] (count (remove true? results)))

(let [[folder core-file stride] *command-line-args*
      module (host/parse (of-bytes (java.nio.file.Files/readAllBytes (.toPath (io/file core-file)))))
      results (apply concat (pmap #(replay-calls module %)
                                  (partition-all 100 ((read-vectors folder "core-calls") "cases"))))]
  (println (format "core-calls: %d calls, %d wrong" (count results) (wrong results)))
  (let [{:strs [guests inputs cases]} (read-vectors folder "handler-cases")
        guests (into {} (for [{:strs [name wasm]} guests]
                          [name (delay (host/read-file (of-bytes (.decode (Base64/getDecoder) ^String wasm))))]))
        inputs (into {} (for [input inputs] [(input "name") (delay (read-input input))]))
        kind-of (fn [{:strs [input module_stores vital_modules]}]
                  (cond (nil? input) :refused (or module_stores vital_modules) :guarded :else :runs))
        {:keys [refused guarded runs]} (group-by kind-of (take-nth (parse-long stride) cases))
        results (doall (pmap #(run-is-right guests inputs %) runs))]
    (println (format "handler-cases: %d runs, %d wrong, %d refused files and %d guarded runs left out"
                     (count runs) (wrong results) (count refused) (count guarded))))
  (shutdown-agents))
