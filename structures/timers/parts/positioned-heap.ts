/**
 * A binary heap in an array of nodes that know their position, so that any of them can be taken out or moved. The node
 * with the first tick stands in front, its children at 2 i + 1 and 2 i + 2.
 *
 * Ticks that wrap are compared by their difference, which orders a heap only while all its ticks lie within 2^31 of
 * each other. Its user ensures that.
 */
export interface HeapNode {
  tick: number;
  /** Its index in the heap. */
  position: number;
}

export function insert<Node extends HeapNode>(heap: Node[], node: Node): void {
  heap.push(node);
  rise(heap, heap.length - 1, node);
}

export function remove<Node extends HeapNode>(heap: Node[], node: Node): void {
  const last = heap.pop()!;
  if (last !== node) replace(heap, node.position, node.tick, last);
}

/** Gives a node of the heap another tick. */
export function move<Node extends HeapNode>(heap: Node[], node: Node, tick: number): void {
  const before = node.tick;
  node.tick = tick;
  replace(heap, node.position, before, node);
}

/**
 * Puts a node where one with the tick `before` stood. That one was no sooner than its parent and no later than its
 * children. So a sooner one can only be wrong with its parent, and a later one only with its children.
 */
function replace<Node extends HeapNode>(heap: Node[], position: number, before: number, node: Node): void {
  if (((node.tick - before) | 0) < 0) rise(heap, position, node);
  else sink(heap, position, node);
}

/** Puts a node at a position or, while its parent would be later, at the parent's, which moves down. */
function rise<Node extends HeapNode>(heap: Node[], start: number, node: Node): void {
  let position = start;
  while (position > 0) {
    const parent = (position - 1) >>> 1;
    const above = heap[parent]!;
    if (((above.tick - node.tick) | 0) <= 0) break;
    heap[position] = above;
    above.position = position;
    position = parent;
  }
  heap[position] = node;
  node.position = position;
}

/** Puts a node at a position or, while a child would be sooner, at the sooner child's, which moves up. */
function sink<Node extends HeapNode>(heap: Node[], start: number, node: Node): void {
  let position = start;
  for (let child = 2 * start + 1; child < heap.length; child = 2 * position + 1) {
    let below = heap[child]!;
    if (child + 1 < heap.length) {
      const right = heap[child + 1]!;
      if (((right.tick - below.tick) | 0) < 0) {
        child++;
        below = right;
      }
    }
    if (((below.tick - node.tick) | 0) >= 0) break;
    heap[position] = below;
    below.position = position;
    position = child;
  }
  heap[position] = node;
  node.position = position;
}
