;; A hashed wheel in WebAssembly: add, cancel, refresh and advance of hashed-wheel.ts, on the same words. What each word
;; means stands there, in parts/records.ts and in parts/slot-lists.ts; the functions here have the names they have there.
;;
;; One thread at a time has the wheel, so that no access is atomic. Byte offsets are into the memory; the region begins
;; at $base. A record is named by the index of its first word in the region, as in JavaScript; 0 is none. An $address is
;; where such a record begins in the memory.
;;
;; timers.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "timers" "memory" (memory 1 65536 shared))
  ;; Where the region begins: the clock, then the live timers, then the first free record.
  (import "timers" "base" (global $base i32))
  (import "timers" "capacity" (global $capacity i32))
  ;; The bits of a handle that are its place.
  (import "timers" "mask" (global $mask i32))
  ;; Word from which on advance writes handles down.
  (import "timers" "outbox" (global $outbox i32))

  (func $addressOf (param $record i32) (result i32)
    (i32.add (global.get $base) (i32.shl (local.get $record) (i32.const 2))))

  ;; The word at $base + 64 that has the bit of a slot; 32 slots have one.
  (func $bitsOf (param $slot i32) (result i32)
    (i32.add
      (global.get $base)
      (i32.shl (i32.shr_u (local.get $slot) (i32.const 5)) (i32.const 2))))

  ;; Whether $deadline is within the horizon of 2^30 ticks.
  (func $isInReach (param $deadline i32) (result i32)
    (i32.le_s
      (i32.sub (local.get $deadline) (i32.load (global.get $base)))
      (i32.const 0x40000000)))

  ;; The tick at which a timer asked for $deadline is due: what is past is due at the next one.
  (func $tickOf (param $deadline i32) (result i32)
    (local $clock i32)
    (local.set $clock (i32.load (global.get $base)))
    (select
      (local.get $deadline)
      (i32.add (local.get $clock) (i32.const 1))
      (i32.gt_s (i32.sub (local.get $deadline) (local.get $clock)) (i32.const 0))))

  ;; Where the record of a live handle begins, or 0.
  (func $addressOfLive (param $handle i32) (result i32)
    (local $place i32)
    (local $address i32)
    (local.set $place (i32.and (local.get $handle) (global.get $mask)))
    (if (i32.ge_u (local.get $place) (global.get $capacity))
      (then (return (i32.const 0))))
    (local.set $address
      (i32.add
        (i32.add (global.get $base) (i32.const 270528))
        (i32.shl (local.get $place) (i32.const 4))))
    ;; A free record holds a number that is not positive, which no handle may equal.
    (select
      (local.get $address)
      (i32.const 0)
      (i32.and
        (i32.eq (i32.load offset=4 (local.get $address)) (local.get $handle))
        (i32.gt_s (local.get $handle) (i32.const 0)))))

  (func $recordAt (param $address i32) (result i32)
    (i32.shr_u (i32.sub (local.get $address) (global.get $base)) (i32.const 2)))

  (func $link (param $address i32) (param $slot i32)
    (local $head i32)
    (local $record i32)
    (local $next i32)
    (local $bits i32)
    (local.set $head (i32.add (global.get $base) (i32.shl (local.get $slot) (i32.const 2))))
    (local.set $record (call $recordAt (local.get $address)))
    (local.set $next (i32.load offset=8320 (local.get $head)))
    (i32.store offset=8 (local.get $address) (local.get $next))
    (i32.store offset=12 (local.get $address) (i32.xor (local.get $slot) (i32.const -1)))
    (if (local.get $next)
      (then (i32.store offset=12 (call $addressOf (local.get $next)) (local.get $record)))
      (else
        (local.set $bits (call $bitsOf (local.get $slot)))
        (i32.store offset=64
          (local.get $bits)
          (i32.or
            (i32.load offset=64 (local.get $bits))
            (i32.shl (i32.const 1) (local.get $slot))))))
    (i32.store offset=8320 (local.get $head) (local.get $record)))

  (func $unlink (param $address i32)
    (local $next i32)
    (local $previous i32)
    (local $slot i32)
    (local $bits i32)
    (local.set $next (i32.load offset=8 (local.get $address)))
    (local.set $previous (i32.load offset=12 (local.get $address)))
    (if (local.get $next)
      (then (i32.store offset=12 (call $addressOf (local.get $next)) (local.get $previous))))
    (if (i32.ge_s (local.get $previous) (i32.const 0))
      (then
        (i32.store offset=8 (call $addressOf (local.get $previous)) (local.get $next))
        (return)))
    (local.set $slot (i32.xor (local.get $previous) (i32.const -1)))
    (i32.store offset=8320
      (i32.add (global.get $base) (i32.shl (local.get $slot) (i32.const 2)))
      (local.get $next))
    (if (i32.eqz (local.get $next))
      (then
        (local.set $bits (call $bitsOf (local.get $slot)))
        (i32.store offset=64
          (local.get $bits)
          (i32.and
            (i32.load offset=64 (local.get $bits))
            (i32.rotl (i32.const -2) (local.get $slot)))))))

  ;; Makes a record that is in no list free.
  (func $release (param $address i32)
    (i32.store offset=4
      (local.get $address)
      (i32.sub (i32.const 0) (i32.load offset=4 (local.get $address))))
    (i32.store offset=8 (local.get $address) (i32.load offset=8 (global.get $base)))
    (i32.store offset=8 (global.get $base) (call $recordAt (local.get $address))))

  (func $addLive (param $count i32)
    (i32.store offset=4
      (global.get $base)
      (i32.add (i32.load offset=4 (global.get $base)) (local.get $count))))

  (func $due (param $address i32) (param $deadline i32)
    (local $tick i32)
    (local.set $tick (call $tickOf (local.get $deadline)))
    (i32.store (local.get $address) (local.get $tick))
    (call $link (local.get $address) (i32.and (local.get $tick) (i32.const 0xffff))))

  ;; The handle; 0 where the set is full or the deadline beyond the horizon.
  (func (export "add") (param $deadline i32) (result i32)
    (local $record i32)
    (local $address i32)
    (local $handle i32)
    (local.set $record (i32.load offset=8 (global.get $base)))
    (if (i32.eqz (i32.and
          (i32.ne (local.get $record) (i32.const 0))
          (call $isInReach (local.get $deadline))))
      (then (return (i32.const 0))))
    (local.set $address (call $addressOf (local.get $record)))
    (i32.store offset=8 (global.get $base) (i32.load offset=8 (local.get $address)))
    ;; The next generation of the place; after the last one comes the first.
    (local.set $handle
      (i32.and
        (i32.sub
          (i32.add (global.get $mask) (i32.const 1))
          (i32.load offset=4 (local.get $address)))
        (i32.const 0x7fffffff)))
    (if (i32.le_s (local.get $handle) (global.get $mask))
      (then
        (local.set $handle
          (i32.add (local.get $handle) (i32.add (global.get $mask) (i32.const 1))))))
    (i32.store offset=4 (local.get $address) (local.get $handle))
    (call $due (local.get $address) (local.get $deadline))
    (call $addLive (i32.const 1))
    (local.get $handle))

  ;; 1 where the timer was live, else 0.
  (func (export "cancel") (param $handle i32) (result i32)
    (local $address i32)
    (local.set $address (call $addressOfLive (local.get $handle)))
    (if (i32.eqz (local.get $address))
      (then (return (i32.const 0))))
    (call $unlink (local.get $address))
    (call $release (local.get $address))
    (call $addLive (i32.const -1))
    (i32.const 1))

  ;; 1 where the timer was live, else 0; -1 where the deadline is beyond the horizon.
  (func (export "refresh") (param $handle i32) (param $deadline i32) (result i32)
    (local $address i32)
    (if (i32.eqz (call $isInReach (local.get $deadline)))
      (then (return (i32.const -1))))
    (local.set $address (call $addressOfLive (local.get $handle)))
    (if (i32.eqz (local.get $address))
      (then (return (i32.const 0))))
    (call $unlink (local.get $address))
    (call $due (local.get $address) (local.get $deadline))
    (i32.const 1))

  ;; Moves the clock towards $now and writes the handles of at most $limit timers that came due to the outbox. Returns
  ;; how many: fewer than $limit where nothing due is left. $isLast: 0 where a call follows that goes on from here.
  (func (export "advance") (param $now i32) (param $limit i32) (param $isLast i32) (result i32)
    (local $count i32)
    (local $clock i32)
    (local $ahead i32)
    (local $step i32)
    (local $tick i32)
    (local $wait i32)
    ;; Ticks passed since something was due, and the nearest due met on them, in ticks from the clock of that moment.
    (local $barren i32)
    (local $nearest i32)
    (local.set $count (call $report (i32.const 0) (local.get $limit) (local.get $isLast)))
    (block $done
      (loop $again
        (br_if $done (i32.ge_u (local.get $count) (local.get $limit)))
        (local.set $clock (i32.load (global.get $base)))
        (local.set $ahead (i32.sub (local.get $now) (local.get $clock)))
        (br_if $done (i32.le_s (local.get $ahead) (i32.const 0)))
        (local.set $step
          (call $occupied
            (local.get $clock)
            (select
              (local.get $ahead)
              (i32.const 0x10000)
              (i32.lt_u (local.get $ahead) (i32.const 0x10000)))))
        (if (i32.eqz (local.get $step))
          (then
            (i32.store (global.get $base) (local.get $now))
            (br $done)))
        (local.set $tick (i32.add (local.get $clock) (local.get $step)))
        (i32.store (global.get $base) (local.get $tick))
        (local.set $barren (i32.add (local.get $barren) (local.get $step)))
        (local.set $nearest (i32.sub (local.get $nearest) (local.get $step)))
        (local.set $wait (call $detach (local.get $tick)))
        (if (i32.eqz (local.get $wait))
          (then
            (local.set $count
              (call $report (local.get $count) (local.get $limit) (local.get $isLast)))
            (local.set $barren (i32.const 0))
            (br $again)))
        (if (i32.or
              (i32.eq (local.get $barren) (local.get $step))
              (i32.lt_s (local.get $wait) (local.get $nearest)))
          (then (local.set $nearest (local.get $wait))))
        ;; A whole rotation on which nothing was due has met every timer there is: go straight to the nearest.
        (if (i32.ge_s (local.get $barren) (i32.const 0x10000))
          (then
            (local.set $ahead (i32.sub (local.get $now) (local.get $tick)))
            (local.set $nearest (i32.sub (local.get $nearest) (i32.const 1)))
            (i32.store
              (global.get $base)
              (i32.add
                (local.get $tick)
                (select
                  (local.get $ahead)
                  (local.get $nearest)
                  (i32.lt_s (local.get $ahead) (local.get $nearest)))))
            (local.set $barren (i32.const 0))))
        (br $again)))
    (call $addLive (i32.sub (i32.const 0) (local.get $count)))
    (local.get $count))

  ;; Slots from that of $from forward to the next one whose bit is set, 1 .. $limit; 0 if there is none so near.
  (func $occupied (param $from i32) (param $limit i32) (result i32)
    (local $first i32)
    (local $bits i32)
    (local $found i32)
    (local $distance i32)
    (local.set $first
      (i32.and (i32.add (local.get $from) (i32.const 1)) (i32.const 0xffff)))
    (local.set $bits (i32.shl (i32.shr_u (local.get $first) (i32.const 5)) (i32.const 2)))
    (local.set $found
      (i32.shr_u
        (i32.load offset=64 (i32.add (global.get $base) (local.get $bits)))
        (local.get $first)))
    (local.set $distance (i32.const 1))
    (if (i32.eqz (local.get $found))
      (then
        (local.set $distance
          (i32.sub (i32.const 33) (i32.and (local.get $first) (i32.const 31))))
        (block $done
          (loop $again
            (br_if $done (i32.gt_s (local.get $distance) (local.get $limit)))
            ;; The last word is followed by the first.
            (local.set $bits
              (i32.and (i32.add (local.get $bits) (i32.const 4)) (i32.const 0x1fff)))
            (local.set $found
              (i32.load offset=64 (i32.add (global.get $base) (local.get $bits))))
            (br_if $done (local.get $found))
            (local.set $distance (i32.add (local.get $distance) (i32.const 32)))
            (br $again)))
        (if (i32.eqz (local.get $found))
          (then (return (i32.const 0))))))
    (local.set $distance (i32.add (local.get $distance) (i32.ctz (local.get $found))))
    (select
      (local.get $distance)
      (i32.const 0)
      (i32.le_s (local.get $distance) (local.get $limit))))

  ;; Moves the timers due at $tick to the list of timers that will be reported. Returns 0 if any was, else the ticks to
  ;; the nearest of the slot, which is not empty.
  (func $detach (param $tick i32) (result i32)
    (local $nearest i32)
    (local $record i32)
    (local $address i32)
    (local $wait i32)
    (local.set $nearest (i32.const 0x7fffffff))
    (local.set $record
      (i32.load offset=8320
        (i32.add
          (global.get $base)
          (i32.shl (i32.and (local.get $tick) (i32.const 0xffff)) (i32.const 2)))))
    (loop $again
      (local.set $address (call $addressOf (local.get $record)))
      (local.set $record (i32.load offset=8 (local.get $address)))
      (local.set $wait (i32.sub (i32.load (local.get $address)) (local.get $tick)))
      (if (i32.eqz (local.get $wait))
        (then
          (call $unlink (local.get $address))
          (call $link (local.get $address) (i32.const 0x10000))))
      (local.set $nearest
        (select
          (local.get $wait)
          (local.get $nearest)
          (i32.lt_s (local.get $wait) (local.get $nearest))))
      (br_if $again (local.get $record)))
    (local.get $nearest))

  ;; Writes the handles of the timers to be reported to the outbox, from its word $count up to $limit, and frees them.
  ;; Returns the new count.
  (func $report (param $count i32) (param $limit i32) (param $isLast i32) (result i32)
    (local $record i32)
    (local $address i32)
    (local.set $record (i32.load offset=270464 (global.get $base)))
    (if (i32.eqz (local.get $record))
      (then (return (local.get $count))))
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $record)))
        (br_if $done (i32.ge_u (local.get $count) (local.get $limit)))
        (local.set $address (call $addressOf (local.get $record)))
        (local.set $record (i32.load offset=8 (local.get $address)))
        (i32.store
          (call $addressOf (i32.add (global.get $outbox) (local.get $count)))
          (i32.load offset=4 (local.get $address)))
        (call $release (local.get $address))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $again)))
    (i32.store offset=270464 (global.get $base) (local.get $record))
    ;; The first timer left over is at the head of the list; where a call follows it is reported at once.
    (if (i32.and (i32.ne (local.get $record) (i32.const 0)) (local.get $isLast))
      (then
        (i32.store offset=12 (call $addressOf (local.get $record)) (i32.const 0xfffeffff))))
    (local.get $count)))
