;; sequence-ring in WebAssembly: claiming a place and handing it on, by the same steps on the same bytes. What the words mean,
;; and why the steps are right, stands there; messages are copied in JavaScript. One instance serves one worker's handle.
;;
;; queues.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "queues" "memory" (memory 1 65536 shared))
  (import "queues" "base" (global $base i32))
  ;; A power of two.
  (import "queues" "capacity" (global $capacity i32))
  ;; Bytes from one place to the next.
  (import "queues" "stride" (global $stride i32))

  ;; Claims the next place where $counter is, if its number is $turn ahead of that; returns its word, or -1.
  (func $claim (param $counter i32) (param $turn i32) (result i32)
    (local $n i32) (local $found i32) (local $place i32) (local $ahead i32)
    (local.set $n (i32.atomic.load (local.get $counter)))
    (loop $again (result i32)
      (local.set $place (i32.and (local.get $n) (i32.sub (global.get $capacity) (i32.const 1))))
      (local.set $place (i32.add (i32.const 256) (i32.mul (local.get $place) (global.get $stride))))
      (local.set $ahead (i32.atomic.load (i32.add (global.get $base) (local.get $place))))
      (local.set $ahead (i32.sub (local.get $ahead) (i32.add (local.get $n) (local.get $turn))))
      (if (i32.lt_s (local.get $ahead) (i32.const 0))
        (then (return (i32.const -1))))
      (if (local.get $ahead)
        (then (local.set $n (i32.atomic.load (local.get $counter))) (br $again)))
      (local.set $found
        (i32.atomic.rmw.cmpxchg (local.get $counter) (local.get $n) (i32.add (local.get $n) (i32.const 1))))
      (if (i32.eq (local.get $found) (local.get $n))
        (then (return (i32.shr_u (local.get $place) (i32.const 2)))))
      (local.set $n (local.get $found))
      (br $again)))

  (func (export "claimFree") (result i32)
    (call $claim (i32.add (global.get $base) (i32.const 128)) (i32.const 0)))
  (func (export "claimWritten") (result i32)
    (call $claim (global.get $base) (i32.const 1)))

  ;; To whoever is next at this word's place. Nobody else changes its number meanwhile.
  (func (export "handOn") (param $word i32) (param $further i32)
    (local $place i32)
    (local.set $place (i32.add (global.get $base) (i32.shl (local.get $word) (i32.const 2))))
    (i32.atomic.store
      (local.get $place)
      (i32.add (i32.load (local.get $place)) (local.get $further)))))
