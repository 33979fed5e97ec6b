// Bodies that wait for the thread, in one lane per caller. Lanes alternate: a caller that sends
// many large bodies waits for its own, other callers wait for at most one of them. Each lane and
// the total are limited: a body above a limit is refused immediately.
import { LANE_BYTES_MAX, LANE_MAX, WAITING_BYTES_MAX, WAITING_MAX } from './limits.ts'

export type Sized = { readonly bytes: number }

type Lane<T> = { readonly items: T[]; bytes: number }

export class Lanes<T extends Sized> {
  /** Lanes that hold bodies, in the order of their turns. */
  readonly #lanes = new Map<string, Lane<T>>()
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  /** Adds a body; returns false if there is no room. */
  add(caller: string, item: T): boolean {
    const lane = this.#lanes.get(caller) ?? { items: [], bytes: 0 }
    if (this.#count >= WAITING_MAX || lane.items.length >= LANE_MAX) return false
    // A body that is larger than the limit is accepted if the lane is empty.
    const { bytes } = item
    if (lane.bytes > 0 && lane.bytes + bytes > LANE_BYTES_MAX) return false
    if (this.#bytes > 0 && this.#bytes + bytes > WAITING_BYTES_MAX) return false
    lane.items.push(item)
    lane.bytes += bytes
    this.#count++
    this.#bytes += bytes
    this.#lanes.set(caller, lane)
    return true
  }

  /** Removes and returns the next body, or undefined if none waits. */
  take(): T | undefined {
    const turn = this.#lanes.entries().next()
    if (turn.done === true) return undefined
    const [caller, lane] = turn.value
    const item = lane.items.shift()!
    this.#lanes.delete(caller)
    lane.bytes -= item.bytes
    if (lane.items.length > 0) this.#lanes.set(caller, lane)
    this.#count--
    this.#bytes -= item.bytes
    return item
  }
}
