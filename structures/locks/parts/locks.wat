;; futex-three-state and ticket of the competitors, in WebAssembly: the same steps on the same bytes. What the words mean,
;; and why the steps are right, stands there. One instance serves one worker's handle.
;;
;; Byte offsets are into the memory; a region begins at $base. 128 is one stride (shared/layout.ts).
;;
;; locks.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "locks" "memory" (memory 1 65536 shared))
  (import "locks" "base" (global $base i32))

  ;; Totals of the handle. Private to the instance, so that counting touches no shared line.
  (global $spins (mut i64) (i64.const 0))
  (global $parks (mut i64) (i64.const 0))

  ;; As float64, which JavaScript reads without a BigInt and which is exact up to 2^53.
  (func (export "spins") (result f64)
    (f64.convert_i64_u (global.get $spins)))
  (func (export "parks") (result f64)
    (f64.convert_i64_u (global.get $parks)))

  (func $countSpins (param $polls i32)
    (global.set $spins (i64.add (global.get $spins) (i64.extend_i32_u (local.get $polls)))))

  ;; What a wait came to: 1 where the word no longer had the value to sleep on, which is no sleep.
  (func $countPark (param $waited i32)
    (if (i32.ne (local.get $waited) (i32.const 1))
      (then (global.set $parks (i64.add (global.get $parks) (i64.const 1))))))

  ;; futex-three-state. Word 0: 0 free, 1 taken, 2 taken and someone may sleep.
  (func (export "lockFutex")
    (if (i32.eqz (i32.atomic.rmw.cmpxchg (global.get $base) (i32.const 0) (i32.const 1)))
      (then (return)))
    (call $countSpins (i32.const 1))
    (loop $again
      (if (i32.eqz (i32.atomic.rmw.xchg (global.get $base) (i32.const 2)))
        (then (return)))
      (call $countSpins (i32.const 1))
      ;; Without a limit.
      (call $countPark (memory.atomic.wait32 (global.get $base) (i32.const 2) (i64.const -1)))
      (br $again)))

  ;; 1 if it took the lock.
  (func (export "tryLockFutex") (result i32)
    (i32.eqz (i32.atomic.rmw.cmpxchg (global.get $base) (i32.const 0) (i32.const 1))))

  ;; What word 0 was.
  (func (export "unlockFutex") (result i32)
    (local $was i32)
    (local.set $was (i32.atomic.rmw.xchg (global.get $base) (i32.const 0)))
    (if (i32.eq (local.get $was) (i32.const 2))
      (then (drop (memory.atomic.notify (global.get $base) (i32.const 1)))))
    (local.get $was))

  ;; ticket. Word 0: the next ticket. Word 32: the ticket that may go in.
  (func (export "lockTicket")
    (local $mine i32)
    (local $serving i32)
    (local $polls i32)
    (local.set $mine (i32.atomic.rmw.add (global.get $base) (i32.const 1)))
    (loop $again
      (local.set $serving (i32.atomic.load offset=128 (global.get $base)))
      (if (i32.eq (local.get $serving) (local.get $mine))
        (then (return)))
      ;; Plain loads, as in the twin: a stale value only says when to look again atomically.
      (local.set $polls (i32.const 1))
      (block $polled
        (loop $poll
          (br_if $polled (i32.ge_u (local.get $polls) (i32.const 20000)))
          (br_if $polled (i32.eq (i32.load offset=128 (global.get $base)) (local.get $mine)))
          (local.set $polls (i32.add (local.get $polls) (i32.const 1)))
          (br $poll)))
      (call $countSpins (local.get $polls))
      (if (i32.eq (local.get $polls) (i32.const 20000))
        (then
          ;; For 50,000 ns.
          (call $countPark
            (memory.atomic.wait32 offset=128 (global.get $base) (local.get $serving) (i64.const 50000)))))
      (br $again)))

  ;; 1 if it took the lock.
  (func (export "tryLockTicket") (result i32)
    (local $serving i32)
    (local.set $serving (i32.atomic.load offset=128 (global.get $base)))
    (i32.eq
      (i32.atomic.rmw.cmpxchg
        (global.get $base)
        (local.get $serving)
        (i32.add (local.get $serving) (i32.const 1)))
      (local.get $serving)))

  (func (export "unlockTicket")
    ;; The plain load is not stale: only the holder writes this word.
    (i32.atomic.store offset=128
      (global.get $base)
      (i32.add (i32.load offset=128 (global.get $base)) (i32.const 1)))))
