import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEntity, World } from "@woven-ecs/core";
import { check, type Seen } from "../index.ts";

/**
 * @woven-ecs/core: entities and components for systems that run in several workers.
 *
 * Promise: the pool "gets the next available index (thread-safe)", so no two entities are one, and as many are created as
 * the world has room for. An event is written for each.
 * Visited completely: two threads that create an entity each.
 * Found: `createEntity` throws "Entity pool exhausted" in a pool with free entities, if two other threads create entities
 * meanwhile. It gives up after two lost races for each 32 entities that the pool has.
 */
const world = new World([], { threads: 1, maxEntities: 4, maxEvents: 4 });
const { pool, entityBuffer, eventBuffer } = world._getContext();
const shared = {
  pool: pool.getBuffer() as SharedArrayBuffer,
  entities: entityBuffer.getBuffer() as SharedArrayBuffer,
  events: eventBuffer.getBuffer() as SharedArrayBuffer,
};
const classOf = <Made extends object>(made: Made) =>
  made.constructor as unknown as { fromTransfer(buffer: SharedArrayBuffer, ...rest: number[]): Made };
type Context = Parameters<typeof createEntity>[0];
const attach = (buffers: typeof shared) =>
  ({
    pool: classOf(pool).fromTransfer(buffers.pool, pool.getBucketCount(), pool.getSize()),
    entityBuffer: classOf(entityBuffer).fromTransfer(buffers.entities, 0),
    eventBuffer: classOf(eventBuffer).fromTransfer(buffers.events, 4),
  }) as Context;
const create = (context: Context) => createEntity(context);

describe("@woven-ecs/core", () => {
  it("creates an entity for each thread, and an event for each entity", () => {
    check({
      shared,
      attach,
      threads: [create, create],
      end(buffers, { results }: Seen) {
        const { entityBuffer, eventBuffer } = attach(buffers);
        const created = results.flat() as number[];
        assert.deepEqual(created.toSorted(), [0, 1]);
        assert.ok(created.every((entity) => entityBuffer.has(entity)));
        assert.deepEqual(eventBuffer.collectEntitiesInRange(0, 1).entities, new Set(created));
      },
    });
  });

  it("has no entity left although there are", () => {
    const program = { shared, attach, threads: [create, create, create] };
    assert.throws(() => check(program), { promise: "thrown", message: /maximum of 4 entities reached/ });
  });
});
