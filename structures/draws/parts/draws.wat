;; lemire in WebAssembly: the same mapping. Why it is right stands there. One instance serves one bound.
;;
;; draws.wasm is made from this file by `npm run assemble`, and a test compares the two.
(module
  ;; 1 .. 2^21.
  (import "draws" "bound" (global $bound i32))

  ;; 2^32 mod $bound.
  (global $threshold (mut i32) (i32.const 0))

  ;; Runs once, when the instance is made. 2^32 - $bound has the same remainder, and 32 bits.
  (func $prepare
    (global.set $threshold
      (i32.rem_u (i32.sub (i32.const 0) (global.get $bound)) (global.get $bound))))
  (start $prepare)

  ;; The high word of the product of $word and the bound; -1 where its low word marks the word as rejected.
  (func (export "mapWord") (param $word i32) (result i32)
    (local $product i64)
    (local.set $product
      (i64.mul (i64.extend_i32_u (local.get $word)) (i64.extend_i32_u (global.get $bound))))
    (if (i32.lt_u (i32.wrap_i64 (local.get $product)) (global.get $threshold))
      (then (return (i32.const -1))))
    (i32.wrap_i64 (i64.shr_u (local.get $product) (i64.const 32)))))
