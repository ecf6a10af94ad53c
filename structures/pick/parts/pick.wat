;; The parts of pickers that race as WebAssembly. V8 compiles an atomic access here to the instruction itself, where
;; Atomics in JavaScript is a call of a builtin. Each function is the twin of a JavaScript competitor, access by access,
;; on the same bytes; why it is right stands there.
;;
;; Byte offsets are into the memory; a region begins at $base. 128 is one stride (shared/layout.ts) and 4 one word.
;; Comparisons are unsigned: a counter of tickets is below 2^31, where signed ones say the same.
;;
;; pick.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "pick" "memory" (memory 1 65536 shared))
  ;; Where the worker's region begins; its first word is the one that all workers fight for.
  (import "pick" "base" (global $base i32))
  (import "pick" "backends" (global $backends i32))
  ;; Where a counter of tickets is folded back: foldAt of parts/rotation.ts.
  (import "pick" "fold" (global $fold i32))

  ;; Division by $backends as a multiplication, as the engine divides in the twin when it knows the number. A ticket
  ;; below 2^31 times $reciprocal, shifted right by $shift, is the quotient (Granlund & Montgomery, "Division by
  ;; Invariant Integers using Multiplication", 1994). The reciprocal is 2^$shift / $backends, rounded up, and below
  ;; 2^32, so that the product fits 64 bits.
  (global $reciprocal (mut i64) (i64.const 0))
  (global $shift (mut i64) (i64.const 0))

  ;; Runs once, when the worker's instance is made.
  (func $prepare
    ;; 31 and the bits of the next power of two: 32 less the leading zeros of $backends - 1.
    (global.set $shift
      (i64.extend_i32_u
        (i32.sub (i32.const 63) (i32.clz (i32.sub (global.get $backends) (i32.const 1))))))
    (global.set $reciprocal
      (i64.div_u
        (i64.add
          (i64.shl (i64.const 1) (global.get $shift))
          (i64.extend_i32_u (i32.sub (global.get $backends) (i32.const 1))))
        (i64.extend_i32_u (global.get $backends)))))
  (start $prepare)

  ;; Failed compare-exchanges of this worker's ring. Private to the instance, so that counting touches no shared line.
  (global $failures (mut i64) (i64.const 0))

  ;; shuffled-round-robin: word 0 is the next ticket, the rotation begins at word 32.
  (func (export "pickRoundRobin") (result i32)
    (local $ticket i32)
    (local $quotient i32)
    (local.set $ticket (i32.atomic.rmw.add (global.get $base) (i32.const 1)))
    (if (i32.ge_u (local.get $ticket) (global.get $fold))
      (then (call $foldBack)))
    (local.set $quotient
      (i32.wrap_i64
        (i64.shr_u
          (i64.mul (i64.extend_i32_u (local.get $ticket)) (global.get $reciprocal))
          (global.get $shift))))
    ;; A plain load: the rotation was written by format, before any worker attached.
    (i32.load offset=128
      (i32.add
        (global.get $base)
        (i32.shl
          (i32.sub (local.get $ticket) (i32.mul (local.get $quotient) (global.get $backends)))
          (i32.const 2)))))

  ;; foldBack of parts/rotation.ts: takes one fold off the counter unless another worker already has.
  (func $foldBack
    (local $next i32)
    (local $seen i32)
    (local.set $next (i32.atomic.load (global.get $base)))
    (loop $again
      (if (i32.lt_u (local.get $next) (global.get $fold))
        (then (return)))
      (local.set $seen
        (i32.atomic.rmw.cmpxchg
          (global.get $base)
          (local.get $next)
          (i32.sub (local.get $next) (global.get $fold))))
      (if (i32.eq (local.get $seen) (local.get $next))
        (then (return)))
      (local.set $next (local.get $seen))
      (br $again)))

  ;; cas-ring: word 0 is the head, the word index of a node; a node is [backend, word index of the next node].
  (func (export "pickRing") (result i32)
    (local $node i32)
    (local $address i32)
    (loop $again
      (local.set $node (i32.atomic.load (global.get $base)))
      (local.set $address (i32.add (global.get $base) (i32.shl (local.get $node) (i32.const 2))))
      ;; Plain loads of the node: format wrote it before any worker attached and nothing writes it since.
      (if (i32.eq
            (i32.atomic.rmw.cmpxchg
              (global.get $base)
              (local.get $node)
              (i32.load offset=4 (local.get $address)))
            (local.get $node))
        (then (return (i32.load (local.get $address)))))
      (global.set $failures (i64.add (global.get $failures) (i64.const 1)))
      (br $again))
    (unreachable))

  ;; As a float64, which JavaScript reads without a BigInt and which is exact up to 2^53.
  (func (export "ringFailures") (result f64)
    (f64.convert_i64_u (global.get $failures)))

  ;; wasm-fetch-and-add-loop: adds 1 to word 0 as often as $count says, which is at least 1.
  (func (export "fetchAndAdd") (param $count i32)
    (loop $again
      (drop (i32.atomic.rmw.add (global.get $base) (i32.const 1)))
      (br_if $again
        (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
