;; ring-of-slots in WebAssembly: its lists, without the seconds and clients that are no such, which JavaScript refuses
;; before it calls. ring-of-slots.ts and parts/links.ts say what the bytes mean, with one difference. A link here is the
;; address of a record, a byte offset into the memory; there it is the index of a word. One instance serves one list.
;;
;; dispatch.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits. Shared because that is how
  ;; the lab allocates; one thread uses it.
  (import "dispatch" "memory" (memory 1 65536 shared))
  ;; Where the records of clients begin, and behind them those of slots; all words are UNLISTED.
  (import "dispatch" "base" (global $base i32))
  (import "dispatch" "clients" (global $clients i32))
  ;; A power of two.
  (import "dispatch" "slots" (global $slots i32))

  ;; Heads: of the first slot, and of the list of due clients, behind the last slot.
  (global $heads (mut i32) (i32.const 0))
  (global $due (mut i32) (i32.const 0))

  ;; Runs once, when the instance is made: all lists are empty.
  (func $prepare
    (local $head i32)
    (global.set $heads (i32.add (global.get $base) (i32.shl (global.get $clients) (i32.const 3))))
    (global.set $due (i32.add (global.get $heads) (i32.shl (global.get $slots) (i32.const 3))))
    (local.set $head (global.get $heads))
    (loop $again
      (call $makeHead (local.get $head))
      (local.set $head (i32.add (local.get $head) (i32.const 8)))
      (br_if $again (i32.le_u (local.get $head) (global.get $due)))))
  (start $prepare)

  (func $recordOf (param $client i32) (result i32)
    (i32.add (global.get $base) (i32.shl (local.get $client) (i32.const 3))))

  (func $headOf (param $second i32) (result i32)
    (i32.add
      (global.get $heads)
      (i32.shl
        (i32.and (local.get $second) (i32.sub (global.get $slots) (i32.const 1)))
        (i32.const 3))))

  ;; parts/links.ts: a record is [next, previous], and next is -1 while it is in no list.
  (func $isListed (param $record i32) (result i32)
    (i32.ne (i32.load (local.get $record)) (i32.const -1)))

  (func $makeHead (param $head i32)
    (i32.store (local.get $head) (local.get $head))
    (i32.store offset=4 (local.get $head) (local.get $head)))

  (func $linkBefore (param $record i32) (param $next i32)
    (local $previous i32)
    (local.set $previous (i32.load offset=4 (local.get $next)))
    (i32.store (local.get $record) (local.get $next))
    (i32.store offset=4 (local.get $record) (local.get $previous))
    (i32.store (local.get $previous) (local.get $record))
    (i32.store offset=4 (local.get $next) (local.get $record)))

  (func $unlink (param $record i32)
    (local $next i32)
    (local $previous i32)
    (local.set $next (i32.load (local.get $record)))
    (local.set $previous (i32.load offset=4 (local.get $record)))
    (i32.store (local.get $previous) (local.get $next))
    (i32.store offset=4 (local.get $next) (local.get $previous))
    (i32.store (local.get $record) (i32.const -1)))

  (func $moveAll (param $from i32) (param $to i32)
    (local $front i32)
    (local $back i32)
    (local $previous i32)
    (local.set $front (i32.load (local.get $from)))
    (if (i32.eq (local.get $front) (local.get $from))
      (then (return)))
    (local.set $back (i32.load offset=4 (local.get $from)))
    (local.set $previous (i32.load offset=4 (local.get $to)))
    (i32.store (local.get $previous) (local.get $front))
    (i32.store offset=4 (local.get $front) (local.get $previous))
    (i32.store (local.get $back) (local.get $to))
    (i32.store offset=4 (local.get $to) (local.get $back))
    (call $makeHead (local.get $from)))

  ;; Lists a client for a second within reach of the clock; returns 0 where it is listed already.
  (func (export "enter") (param $client i32) (param $second i32) (param $clock i32) (result i32)
    (local $record i32)
    (local.set $record (call $recordOf (local.get $client)))
    (if (call $isListed (local.get $record))
      (then (return (i32.const 0))))
    (if (i32.eq (local.get $second) (local.get $clock))
      (then (call $linkBefore (local.get $record) (global.get $due)))
      (else (call $linkBefore (local.get $record) (call $headOf (local.get $second)))))
    (i32.const 1))

  ;; Takes a client off its list; returns 0 where it is not listed.
  (func (export "remove") (param $client i32) (result i32)
    (local $record i32)
    (local.set $record (call $recordOf (local.get $client)))
    (if (i32.eqz (call $isListed (local.get $record)))
      (then (return (i32.const 0))))
    (call $unlink (local.get $record))
    (i32.const 1))

  ;; Takes one client that is due off the list and returns it; -1 if none is.
  (func (export "takeDue") (result i32)
    (local $record i32)
    (local.set $record (i32.load (global.get $due)))
    (if (i32.eq (local.get $record) (global.get $due))
      (then (return (i32.const -1))))
    (call $unlink (local.get $record))
    (i32.shr_u (i32.sub (local.get $record) (global.get $base)) (i32.const 3)))

  ;; All of the seconds after $clock up to $last, at most a reach of them, are due.
  (func (export "moveTo") (param $clock i32) (param $last i32)
    (block $done
      (loop $again
        (br_if $done (i32.ge_s (local.get $clock) (local.get $last)))
        (local.set $clock (i32.add (local.get $clock) (i32.const 1)))
        (call $moveAll (call $headOf (local.get $clock)) (global.get $due))
        (br $again)))))
