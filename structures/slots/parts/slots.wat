;; shared-ticket in WebAssembly: the same steps on the same bytes, which are drawn in parts/tickets.ts. Why they are right
;; stands there. One instance serves one worker.
;;
;; slots.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; The sizes are the least and the most that any memory may have, so that every one fits.
  (import "slots" "memory" (memory 1 65536 shared))
  ;; Where the region begins, in bytes; its first word is the next ticket.
  (import "slots" "base" (global $base i32))
  (import "slots" "slots" (global $slots i32))
  ;; Where the counter is folded back: foldAt of pick/parts/rotation.ts.
  (import "slots" "fold" (global $fold i32))

  (func (export "takeTicket") (result i32)
    (local $ticket i32)
    (local.set $ticket (i32.atomic.rmw.add (global.get $base) (i32.const 1)))
    (if (i32.ge_u (local.get $ticket) (global.get $fold))
      (then (call $foldBack)))
    ;; Unsigned, as a ticket is below 2^31.
    (i32.rem_u (local.get $ticket) (global.get $slots)))

  ;; foldBack of pick/parts/rotation.ts: takes one fold off the counter unless another worker already has.
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
      (br $again))))
