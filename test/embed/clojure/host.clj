(ns host
  "A host of core.wasm and of handlers on Chicory. What it leaves out: the rules of files and manifests (the hash that a
  plan pins vouches for both), the guards of a chain, and texts of guests. Bytes are texts of ISO 8859-1 here, a
  character for each: they compare as keys do and are equal by value, so that a store is a sorted map of them."
  (:require [clojure.data.json :as json] [clojure.string :as string])
  (:import (clojure.lang ExceptionInfo)
           (com.dylibso.chicory.runtime GlobalInstance HostFunction ImportValues Instance WasmFunctionHandle)
           (com.dylibso.chicory.wasm ChicoryException Parser WasmModule)
           (com.dylibso.chicory.wasm.types UnknownCustomSection ValType)))
(defn bytes-of ^bytes [^String s] (.getBytes s "ISO-8859-1"))
(defn of-bytes [^bytes array] (String. array "ISO-8859-1"))
(defn from-hex [s] (of-bytes (.parseHex (java.util.HexFormat/of) s)))
(defn utf8 [^String text] (of-bytes (.getBytes text "UTF-8")))
(defn from-utf8 [s] (String. (bytes-of s) "UTF-8"))
(defn u32 [n] (apply str (map #(char (bit-and 255 (bit-shift-right n %))) [0 8 16 24])))
(defn read-u32 [^String s at] (reduce #(+ (* 256 %1) (int (.charAt s (+ at %2)))) 0 [3 2 1 0]))
(defn frame [[key value]] (str (u32 (count key)) (u32 (count value)) key value))
(defn between [pairs start end] ; an end of no bytes is none
  (if (= "" end) (subseq pairs >= start) (subseq pairs >= start < end)))

;; Wasm
(defn read-bytes [^Instance guest at size] (of-bytes (.readBytes (.memory guest) at size)))
(defn write-bytes [^Instance guest at s] (.write (.memory guest) (int at) (bytes-of s)))
(defn give [guest s out cap]
  (when (and s (<= (count s) cap)) (write-bytes guest out s))
  (if s (count s) -1))
;; params and results: i is an i32, which f gets unsigned, l an i64. What is no number is 0.
(defn- import-function [[module name params results f]]
  (let [type {\i ValType/I32 \l ValType/I64}
        handle (reify WasmFunctionHandle
                 (apply [_ guest args]
                   (let [result (apply f guest (map #(if (= \i %1) (bit-and %2 0xffffffff) %2) params args))]
                     (when (not= "" results) (long-array [(if (int? result) result 0)])))))]
    (HostFunction. module name (mapv type params) (mapv type results) handle)))
(defn parse [s] (Parser/parse (bytes-of s)))
(defn- instantiate ^Instance [module imports]
  (let [functions (into-array HostFunction (map import-function imports))]
    (.build (.withImportValues (Instance/builder module) (.build (.addFunction (ImportValues/builder) functions))))))
(defn call [^Instance guest name & args] (first (.apply (.export guest name) (long-array args))))

;; core.wasm: its store is an atom with a sorted map.
(defn- kv [store]
  [["kv" "get" "iiii" "i" (fn [guest key size out cap] (give guest (@store (read-bytes guest key size)) out cap))]
   ["kv" "set" "iiii" "" (fn [guest key size value n]
                             (swap! store assoc (read-bytes guest key size) (read-bytes guest value n)))]
   ["kv" "delete" "ii" "" (fn [guest key size] (swap! store dissoc (read-bytes guest key size)))]
   ["kv" "seek" "iiiiii" "i" (fn [guest start size end end-size out cap]
                             (let [pairs (between @store (read-bytes guest start size) (read-bytes guest end end-size))]
                               (give guest (some-> (first pairs) frame) out cap)))]])
(defn open-core [module store]
  (doto (instantiate module (kv store))
    (call "_initialize")
    (-> (call "core_abi") (bit-shift-right 16) (= 1) (assert "core.wasm is of another ABI"))))
(defn transact [guest store name args]
  (let [before @store] ; the branch: a trap may come after writes
    (try (apply call guest name args)
         (catch ChicoryException trap (reset! store before) (throw trap)))))

;; Protobuf: fields are known by their tags, and names are bytes, as on the wire.
(def two-64 18446744073709551616N)
(defn- varint [n]
  (if (< n 128) (str (char n)) (str (char (+ 128 (mod n 128))) (varint (quot n 128)))))
(defn- number [tag n] (if (zero? n) "" (str (varint tag) (varint (mod n two-64)))))
(defn- message [tag s] (str (varint tag) (varint (count s)) s))
(defn- context [{:keys [chain-id height seconds nanos plan versions]}]
  (let [entries (for [[name version] versions] (message 10 (str (message 10 name) (number 16 version))))]
    (str (if (= "" chain-id) "" (message 10 chain-id)) (number 16 height)
         (message 26 (str (number 8 seconds) (number 16 nanos))) (message 34 plan) (message 42 (string/join entries)))))
(defn- fail! [code] (throw (ex-info code {:error code})))
(defn- demand [holds & [code]] (when-not holds (fail! (or code "UPG_HANDLER_TRAP"))))
(defn- read-varint [s] ; the number, and the rest of s
  (let [bytes (re-find #"\A[\x80-\xff]{0,9}[\x00-\x7f]" s)
        n (reduce #(+' (*' 128 %1) (bit-and (int %2) 127)) 0 (reverse bytes))]
    (demand (and bytes (< n two-64)))
    [n (subs s (count bytes))]))
(defn- fields [tags s] ; lazy, so that a message with too many is not read to its end
  (lazy-seq
   (when (not= "" s)
     (let [[tag s] (read-varint s), [n s] (read-varint s), size (if (even? (quot tag 2)) 0 n)]
       (demand (and (tags tag) (<= size (count s))))
       (cons [tag (if (even? (quot tag 2)) n (subs s 0 size))] (fields tags (subs s size)))))))
(defn- name? [s]
  (and (<= 1 (count s) 140) (= s (utf8 (from-utf8 s))) (not (re-find #"[\x00-\x1f\x7f-\x9f]" (from-utf8 s)))))
;; Numbers by name, from the messages in field 1, whose fields these are, each at most once; the names differ, in order.
(defn- read-numbers [limit tags in-order s]
  (let [entries (for [[i [_ entry]] (map-indexed vector (fields #{10} s)), :let [found (fields tags entry)]]
                  (do (demand (and (< i limit) (= (count found) (count (into {} found)))))
                      (into {10 "" 16 0} found)))
        names (map #(% 10) entries)]
    (demand (and (every? name? names) (= names (distinct (in-order names)))))
    (zipmap names (map #(% 16) entries))))

;; A run is an atom with a map: the guest and its globals; the stores of the manifest, each with its pairs and
;; its changes (the last write to each key, nil for a deletion); the buffers of the guest.
(def prices {:file-byte 1000, :host-call 2000, :store-get 200000, :store-scan 200000, :scan-passed 1000,
             :scan-passed-byte 8, :put 12000, :write-alone 70000, :delete 12000, :store-write 600, :scan-pair 2000,
             :log 4000, :progress 300, :log-byte 100, :byte 1, :long-byte 12})
(defn- value-of [run global] (.getValue ^GlobalInstance (global @run)))
(defn- charge! [run & names-and-counts]
  (let [price (apply + (for [[name n] (partition 2 names-and-counts)] (* (prices name) n)))]
    (.setValue ^GlobalInstance (:gas @run) (long (- (value-of run :gas) price)))
    (demand (<= 0 (value-of run :gas)) "UPG_MIGRATION_OUT_OF_GAS")))
(defn- demand-range [run at size]
  (demand (<= (+ at size) (* 65536 (.pages (.memory ^Instance (:guest @run)))))))
(defn- bytes-at [run at size]
  (demand-range run at size)
  (read-bytes (:guest @run) at size))
(defn- store-of [run index] (or (get (:stores @run) index) (demand false)))
(defn- writable [run index]
  (demand (and (= "rw" (:access (store-of run index))) (:writable @run)))
  (store-of run index))
(defn- prefix-of [{:keys [prefixes]} key]
  (or (first (filter #(string/starts-with? key %) prefixes)) (demand false)))
(defn- long-bytes [s] (max 0 (- (count s) 1024)))
(defn- key-at [run store at size]
  (demand (<= 1 size 65535))
  (let [key (bytes-at run at size)]
    (charge! run :byte size :long-byte (long-bytes key))
    (prefix-of store key)
    key))
(defn- charge-write! [run name]
  (charge! run name 1 :write-alone (if (<= (:writes (swap! run update :writes inc)) 10000) 1 0)))
(defn- write! [run index key value]
  (swap! run update-in [:stores index]
         #(-> (if value (assoc-in % [:pairs key] value) (update % :pairs dissoc key))
              (assoc-in [:changes key] value)
              (update (if value :written :deleted) inc)
              (update :bytes + (count key) (count value)))))
(defn- write-frames! [run s]
  (let [part (fn [at size] (demand (<= (+ at size) (count s))) (subs s at (+ at size)))]
    (loop [at 0]
      (when (< at (count s))
        (let [head (read-u32 (part at 4) 0)
              [op index size] [(bit-shift-right head 30) (bit-and (bit-shift-right head 24) 63) (bit-and head 0xffffff)]
              value-size (when (= 0 op) (read-u32 (part (+ at 4) 4) 0))
              start (+ at (if value-size 8 4))
              key (part start size)
              value (when value-size (part (+ start size) value-size))]
          (demand (and (<= op 1) (<= 1 size 65535) (<= (count value) 1048576)))
          (prefix-of (writable run index) key)
          (charge-write! run (if value :put :delete))
          (charge! run :long-byte (+ (long-bytes key) (long-bytes value)))
          (write! run index key value)
          (recur (+ start size (count value))))))))
(defn- pack [limit frames] ; as many as fit, and at least one where there are any
  (take (max 1 (count (take-while #(<= % limit) (rest (reductions + 0 (map count frames)))))) frames))
(defn- store-get [run index key size out cap]
  (charge! run :store-get 1)
  (let [store (store-of run index)
        value ((:pairs store) (key-at run store key size))]
    (demand-range run out cap)
    (charge! run :byte (count value))
    (give (:guest @run) value out cap)))
(defn- store-set [run index key size value value-size]
  (charge-write! run :put)
  (let [key (key-at run (writable run index) key size)
        _ (demand (<= value-size 1048576))
        value (bytes-at run value value-size)]
    (charge! run :byte value-size :long-byte (long-bytes value))
    (write! run index key value)))
(defn- store-delete [run index key size]
  (charge-write! run :delete)
  (write! run index (key-at run (writable run index) key size) nil))
(defn- store-write [run at size]
  (charge! run :store-write 1)
  (demand-range run at size)
  (charge! run :byte size)
  (write-frames! run (bytes-at run at size)))
(defn- demand-scannable [store start end] ; a prefix of bytes ff alone has no key after it
  (when-let [[_ kept [last]] (re-find #"(?s)\A(.*)([^\xff])\xff*\z" (prefix-of store start))]
    (demand (and (not= "" end) (not (pos? (compare end (str kept (char (inc (int last)))))))))))

(defn- store-scan [run index start start-size end end-size out cap]
  (charge! run :store-scan 1)
  (demand (<= (max start-size end-size) 65536))
  (let [[start end] [(bytes-at run start start-size) (bytes-at run end end-size)]]
    (charge! run :byte (+ start-size end-size))
    (demand-range run out cap)
    (demand-scannable (store-of run index) start end)
    (let [{:keys [pairs changes]} (store-of run index)
          found (between pairs start end)
          packed (pack cap (map frame found))
          batch (string/join packed)
          given (if (<= (count batch) cap) (count packed) 0)
          [next-key] (first (drop given found))
          passed (for [[key value] (between changes start (or next-key end)) :when (nil? value)] key)]
      (charge! run :scan-pair given :byte (if (pos? given) (count batch) 0))
      (charge! run :scan-passed (count passed) :scan-passed-byte (count (string/join passed)))
      (give (:guest @run) batch out cap))))

(defn- imports [run]
  (for [[module name params results f]
        [["chain" "store_get" "iiiii" "i" store-get] ["chain" "store_set" "iiiii" "i" store-set]
         ["chain" "store_delete" "iii" "i" store-delete] ["chain" "store_write" "ii" "i" store-write]
         ["chain" "store_scan" "iiiiiii" "i" store-scan]
         ["chain" "log" "iii" "" (fn [run _ at size]
                                 (demand-range run at size)
                                 (charge! run :log 1 :log-byte (min 4096 size)))]
         ["chain" "progress" "ll" "" (fn [run _ _] (charge! run :progress 1))]
         ["chain" "fail" "iii" "" (fn [run _ at size] (demand-range run at size) (fail! "UPG_MIGRATION_FAILED"))]
         ["env" "abort" "iiii" "" (fn [& _] (fail! "UPG_MIGRATION_FAILED"))]]]
    [module name params results (fn [_ & args] (apply f run args))]))

;; The end of a call is one of these, in the order of the document's table.
(defn- call! [run export & args]
  (charge! run :host-call 1)
  (let [result (try (apply call (:guest @run) export args)
                    (catch ChicoryException trap trap)
                    (catch VirtualMachineError _ (fail! "UPG_HANDLER_ENGINE")))
        trapped (instance? ChicoryException result)
        gave-up (and trapped (or (instance? StackOverflowError (ex-cause result)) (= 1 (value-of run :refused))))]
    (demand (not gave-up) "UPG_HANDLER_ENGINE")
    (demand (<= 0 (value-of run :gas)) "UPG_MIGRATION_OUT_OF_GAS")
    (demand (not (and trapped (neg? (value-of run :stack)))) "UPG_HANDLER_STACK")
    (demand (not trapped))
    result))
;; The message is for people, who get none here; what handler_err does is paid for, and its own failures are not shown.
(defn- last-error! [run]
  (try (let [at (bit-and (call! run "handler_err") 0xffffffff)]
         (demand-range run (+ 8 at) (read-u32 (bytes-at run at 8) 4)))
       (catch ExceptionInfo error (demand (not= "UPG_HANDLER_ENGINE" (ex-message error)) "UPG_HANDLER_ENGINE"))))
(defn- buffer! [run export size]
  (swap! run assoc :writable false) ; handler_in may be called between two that may write
  (let [at (bit-and (call! run export size) 0xffffffff)]
    (demand (pos? at) "UPG_MIGRATION_FAILED")
    (demand-range run at size)
    at))
;; Gives the guest its input, calls the export and takes the output. args makes the arguments, of the input's size.
(defn- ask! [run export input least args]
  (let [size (count input)]
    (charge! run :byte size)
    (when (< (:in-size @run) size) (swap! run assoc :in (buffer! run "handler_in" size) :in-size size))
    (demand-range run (:in @run) size)
    (write-bytes (:guest @run) (:in @run) input)
    (swap! run assoc :writable (not= export "handler_check"))
    (let [result (apply call! run export (args size))]
      (when (and (neg? result) ((:exports @run) "handler_err")) (last-error! run))
      (demand (<= 0 result) "UPG_MIGRATION_FAILED")
      (demand (<= least result 262144))
      (charge! run :byte result)
      (bytes-at run (:out @run) result))))
(defn- scan! [run scan pairs prefix batch-bytes]
  (loop [frames (map frame (take-while #(string/starts-with? (key %) prefix) (subseq pairs >= prefix)))]
    (let [packed (pack batch-bytes frames)
          flags (if (empty? (drop (count packed) frames)) 1 0)
          _ (charge! run :scan-pair (count packed))
          output (ask! run "handler_batch" (string/join packed) 4 #(vector scan % flags))
          consumed (.indexOf ^java.util.List (reductions + 0 (map count packed)) (read-u32 output 0))]
      (demand (<= (min 1 (count packed)) consumed))
      (write-frames! run (subs output 4))
      (when-let [others (seq (drop consumed frames))] (recur others)))))
(defn- steps! [run {:keys [size exports scans]} pairs context batch-bytes]
  (charge! run :file-byte size)
  (demand (every? :pairs (:stores @run)) "UPG_HANDLER_LAYOUT")
  (when (exports "_initialize") (call! run "_initialize"))
  (swap! run assoc :in (buffer! run "handler_in" 65536) :in-size 65536 :out (buffer! run "handler_out" 262144))
  (let [output (ask! run "handler_run" context 0 vector)
        versions (try (when (not= "" output) (read-numbers 1024 #{10 16} sort output))
                      (catch ExceptionInfo _ (fail! "UPG_MIGRATION_VERSION_MAP")))]
    (doseq [[i [store prefix]] (map-indexed vector scans)] (scan! run i (pairs store) prefix batch-bytes))
    (let [checks (when (exports "handler_check")
                   (read-numbers 256 #{10 16 26} identity (ask! run "handler_check" context 0 vector)))]
      (demand (not-any? zero? (vals checks)) "UPG_MIGRATION_INVARIANT")
      {:versions versions :checks (set (keys checks))})))

;; What runs need of a file; whether it is as it must be, the hash in its plan says.
(defn read-file [s]
  (let [section (fn [^WasmModule module name]
                  (of-bytes (.bytes ^UnknownCustomSection (.customSection module (str "chain-upgrade." name)))))
        file (parse s), metered (parse (section file "metered")), exports (.exportSection ^WasmModule metered)
        {:strs [gasLimit stores versions removes scans]} (json/read-str (from-utf8 (section file "manifest")))
        version (comp bigint str)]
    {:module metered, :size (count s), :gas-limit (parse-long gasLimit), :removes (map utf8 removes)
     :exports (set (map #(.name (.getExport exports %)) (range (.exportCount exports))))
     :stores (for [{:strs [name access prefixes] :or {prefixes [""]}} stores]
               {:name name :access access :prefixes (map from-hex prefixes) :changes (sorted-map)
                :written 0 :deleted 0 :bytes 0})
     :scans (for [{:strs [store prefix] :or {prefix ""}} scans] [store (from-hex prefix)])
     :versions (for [[name {:strs [from to]}] versions]
                 {:name (utf8 name) :from (if from (set (map version from)) #{nil}) :to (version to)})}))
(defn- start [{:keys [module exports stores]} pairs gas-limit]
  (let [run (atom {:exports exports :writes 0 :stores (mapv #(assoc % :pairs (pairs (:name %))) stores)})
        guest (instantiate module (imports run))
        [gas stack refused] (map #(.global (.exports guest) (str "chain-upgrade:" %)) ["gas" "stack" "refused"])]
    (.setValue ^GlobalInstance gas gas-limit)
    (swap! run assoc :guest guest :gas gas :stack stack :refused refused)
    run))
;; pairs: by the store's name. They stay as they are; those after the run are in the stores that are returned.
(defn execute [handler {:keys [pairs versions] :as input} gas-limit batch-bytes]
  (if-not (every? (fn [{:keys [name from]}] (contains? from (versions name))) (:versions handler))
    {:error "UPG_HANDLER_LAYOUT"}
    (let [run (start handler pairs gas-limit)
          result (try (steps! run handler pairs (context input) batch-bytes)
                      (catch ExceptionInfo error (ex-data error)))
          declared (apply dissoc (into versions (map (juxt :name :to)) (:versions handler)) (:removes handler))
          gas (min gas-limit (- gas-limit (value-of run :gas)))]
      (cond (:error result) (assoc result :gas gas)
            (not= declared (or (:versions result) declared)) {:error "UPG_MIGRATION_VERSION_MAP"}
            :else (assoc result :gas gas :versions declared :stores (:stores @run)
                         :pages (.pages (.memory ^Instance (:guest @run))))))))
