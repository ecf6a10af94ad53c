;; Lookups in WebAssembly: V8 compiles an atomic load here to the instruction itself, where Atomics.load in JavaScript is
;; a call of a builtin. They are the functions of seqlock-slots.ts, on the same words. Its ground rules say why they are
;; right.
;;
;; Every load of a shared word is atomic and so sequentially consistent, as it is there: the rules ask for no more. A
;; plain load may be made after the atomic one that follows it, unless an atomic.fence stands between. On x86-64 both
;; are the same instruction, so that a plain one would save nothing.
;;
;; Byte offsets are into the memory; a region begins at $base. A word is 4 bytes, a block 64, a slot 12.
;;
;; ownership.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "ownership" "memory" (memory 1 65536 shared))
  ;; Where the region begins.
  (import "ownership" "base" (global $base i32))

  ;; The watermark as this instance last loaded it: the epoch, all of its ms, and their low word.
  (global $epoch (mut i32) (i32.const 0))
  (global $keptMs (mut f64) (f64.const 0))
  (global $kept (mut i32) (i32.const 0))

  ;; Watermark of parts/watermark.ts: word 0 is the epoch, one copy is in words 1 and 2, the other in 3 and 4.
  (func $loadWatermark
    (local $epoch i32)
    (local $copy i32)
    (local $high i32)
    (loop $again
      (local.set $epoch (i32.atomic.load (global.get $base)))
      (local.set $copy
        (i32.add
          (global.get $base)
          (i32.shl (i32.and (local.get $epoch) (i32.const 1)) (i32.const 3))))
      (global.set $kept (i32.atomic.load offset=4 (local.get $copy)))
      (local.set $high (i32.atomic.load offset=8 (local.get $copy)))
      (br_if $again (i32.ne (i32.atomic.load (global.get $base)) (local.get $epoch))))
    (global.set $epoch (local.get $epoch))
    (global.set $keptMs
      (f64.add
        (f64.mul (f64.convert_i32_u (local.get $high)) (f64.const 0x1p32))
        (f64.convert_i32_u (global.get $kept)))))
  (start $loadWatermark)

  ;; The block of a resource.
  (func $blockOf (param $resource i32) (result i32)
    (i32.add
      (i32.add (global.get $base) (i32.const 256))
      (i32.shl (local.get $resource) (i32.const 6))))

  ;; The block that comes after one in its chain, or 0.
  (func $blockAfter (param $block i32) (result i32)
    (local $word i32)
    (local.set $word (i32.atomic.load offset=4 (local.get $block)))
    (select
      (i32.add (global.get $base) (i32.shl (local.get $word) (i32.const 2)))
      (i32.const 0)
      (local.get $word)))

  ;; Whether $t can be compared with what is kept: from the watermark on, and within the horizon of 2^30 ms. The
  ;; difference is exact wherever it is as small as that.
  (func $isInReach (param $t f64) (result i32)
    (i32.and
      (f64.ge (f64.sub (local.get $t) (global.get $keptMs)) (f64.const 0))
      (f64.lt (f64.sub (local.get $t) (global.get $keptMs)) (f64.const 0x1p30))))

  ;; The low word of the millisecond that $t, in reach, belongs to.
  (func $wordOf (param $t f64) (result i32)
    (i32.add
      (global.get $kept)
      (i32.trunc_f64_s (f64.sub (local.get $t) (global.get $keptMs)))))

  ;; What two codes say together, or one and 0, for an empty slot: the one, or -1 for several.
  (func $laidOver (param $one i32) (param $other i32) (result i32)
    (select
      (select
        (i32.const -1)
        (local.get $other)
        (i32.and
          (i32.ne (local.get $one) (i32.const 0))
          (i32.ne (local.get $one) (local.get $other))))
      (local.get $one)
      (local.get $other)))

  ;; The owner at $t, -1 where there is no evidence, -2 where there is a conflict. $resource is in range.
  (func (export "ownerAt") (param $resource i32) (param $t f64) (result i32)
    (local $code i32)
    (loop $again
      (local.set $code
        (if (result i32) (call $isInReach (local.get $t))
          (then (call $codeAt (call $blockOf (local.get $resource)) (call $wordOf (local.get $t))))
          (else (i32.const 0))))
      (if (i32.ne (i32.atomic.load (global.get $base)) (global.get $epoch))
        (then
          (call $loadWatermark)
          (br $again))))
    (i32.sub (local.get $code) (i32.const 1)))

  ;; The code at the time with the low word $t, of the chain of blocks that begins with $first; 0 for none. It reads all
  ;; of a slot without asking first. Which slot covers a time is random, and a random branch costs more than two loads
  ;; of the same line. The code comes last, as the rules want.
  (func $codeAt (param $first i32) (param $t i32) (result i32)
    (local $version i32)
    (local $block i32)
    (local $slot i32)
    (local $end i32)
    (local $covers i32)
    (local $found i32)
    (loop $again
      (local.set $version (i32.atomic.load (local.get $first)))
      (local.set $found (i32.const 0))
      (local.set $block (local.get $first))
      (loop $blocks
        (local.set $slot (i32.add (local.get $block) (i32.const 16)))
        (local.set $end (i32.add (local.get $block) (i32.const 64)))
        (loop $slots
          (local.set $covers
            (i32.and
              (i32.lt_s
                (i32.sub (local.get $t) (i32.atomic.load offset=4 (local.get $slot)))
                (i32.const 0))
              (i32.ge_s
                (i32.sub (local.get $t) (i32.atomic.load (local.get $slot)))
                (i32.const 0))))
          (local.set $found
            (call $laidOver
              (local.get $found)
              (select
                (i32.atomic.load offset=8 (local.get $slot))
                (i32.const 0)
                (local.get $covers))))
          (br_if $slots
            (i32.lt_u
              (local.tee $slot (i32.add (local.get $slot) (i32.const 12)))
              (local.get $end))))
        (br_if $blocks (local.tee $block (call $blockAfter (local.get $block)))))
      (br_if $again (i32.ne (i32.atomic.load (local.get $first)) (local.get $version))))
    (local.get $found))

  ;; The same where no range covers $t, with what the nearest ranges on both sides suggest. It is a float64, because the
  ;; answer that an owner is inferred may be below any int32.
  (func (export "bridgedOwnerAt") (param $resource i32) (param $t f64) (param $toleranceMs f64) (result f64)
    (local $answer f64)
    (loop $again
      (local.set $answer
        (if (result f64) (call $isInReach (local.get $t))
          (then
            (call $answerAcross
              (call $blockOf (local.get $resource))
              (call $wordOf (local.get $t))
              (local.get $toleranceMs)))
          (else (f64.const -1))))
      (if (i32.ne (i32.atomic.load (global.get $base)) (global.get $epoch))
        (then
          (call $loadWatermark)
          (br $again))))
    (local.get $answer))

  (func $answerAcross (param $first i32) (param $t i32) (param $toleranceMs f64) (result f64)
    (local $version i32)
    (local $block i32)
    (local $slot i32)
    (local $last i32)
    (local $start i32)
    (local $end i32)
    (local $code i32)
    (local $distance i32)
    (local $found i32)
    (local $before i32)
    (local $after i32)
    (local $sinceEnd i32)
    (local $untilStart i32)
    (loop $again
      (local.set $version (i32.atomic.load (local.get $first)))
      (local.set $found (i32.const 0))
      (local.set $before (i32.const 0))
      (local.set $after (i32.const 0))
      ;; Further than anything.
      (local.set $sinceEnd (i32.const 0x7fffffff))
      (local.set $untilStart (i32.const 0x7fffffff))
      (local.set $block (local.get $first))
      (loop $blocks
        (local.set $slot (i32.add (local.get $block) (i32.const 16)))
        (local.set $last (i32.add (local.get $block) (i32.const 64)))
        (loop $slots
          (local.set $end (i32.atomic.load offset=4 (local.get $slot)))
          (local.set $start (i32.atomic.load (local.get $slot)))
          (local.set $code (i32.atomic.load offset=8 (local.get $slot)))
          (block $next
            (br_if $next (i32.eqz (local.get $code)))
            (local.set $distance (i32.sub (local.get $start) (local.get $t)))
            (if (i32.gt_s (local.get $distance) (i32.const 0))
              (then
                (br_if $next (i32.gt_s (local.get $distance) (local.get $untilStart)))
                (local.set $after
                  (call $laidOver
                    (select
                      (i32.const 0)
                      (local.get $after)
                      (i32.lt_s (local.get $distance) (local.get $untilStart)))
                    (local.get $code)))
                (local.set $untilStart (local.get $distance))
                (br $next)))
            (local.set $distance (i32.sub (local.get $t) (local.get $end)))
            (if (i32.lt_s (local.get $distance) (i32.const 0))
              (then
                (local.set $found (call $laidOver (local.get $found) (local.get $code)))
                (br $next)))
            ;; What ended by the watermark does not count.
            (br_if $next
              (i32.ge_s (i32.sub (global.get $kept) (local.get $end)) (i32.const 0)))
            (br_if $next (i32.gt_s (local.get $distance) (local.get $sinceEnd)))
            (local.set $before
              (call $laidOver
                (select
                  (i32.const 0)
                  (local.get $before)
                  (i32.lt_s (local.get $distance) (local.get $sinceEnd)))
                (local.get $code)))
            (local.set $sinceEnd (local.get $distance)))
          (br_if $slots
            (i32.lt_u
              (local.tee $slot (i32.add (local.get $slot) (i32.const 12)))
              (local.get $last))))
        (br_if $blocks (local.tee $block (call $blockAfter (local.get $block)))))
      (br_if $again (i32.ne (i32.atomic.load (local.get $first)) (local.get $version))))
    (if (local.get $found)
      (then (return (f64.convert_i32_s (i32.sub (local.get $found) (i32.const 1))))))
    ;; One owner before and after, near enough: `inferred` of ownership.contract.ts.
    (select
      (f64.sub (f64.const -2) (f64.convert_i32_s (local.get $before)))
      (f64.const -1)
      (i32.and
        (i32.and
          (i32.eq (local.get $before) (local.get $after))
          (i32.gt_s (local.get $before) (i32.const 0)))
        (f64.le
          (f64.add
            (f64.convert_i32_s (local.get $sinceEnd))
            (f64.convert_i32_s (local.get $untilStart)))
          (local.get $toleranceMs))))))
