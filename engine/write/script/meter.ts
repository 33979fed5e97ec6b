// Counts what a run does and builds, and ends it where it is too much.
import { type Position, ScriptFault } from './faults.ts'
import {
  ARRAY_LENGTH_MAX,
  EVALUATION_DEPTH_MAX,
  MAP_SIZE_MAX,
  MEMORY_MAX,
  STEPS_MAX,
  STEPS_PAUSE,
  STRING_LENGTH_MAX,
  VALUE_DEPTH_MAX,
} from './limits.ts'
import { Blob, ScriptMap, Unread, type Value } from './values.ts'

/** Elements that one step may touch: a copy of a thousand is as much work as 60 steps. */
const TOUCHED_PER_STEP = 16
const ENTRY_COST = 4

export class Meter {
  steps = 0
  depth = 0
  #memory = 0
  #pause = STEPS_PAUSE
  readonly #onPause: () => void

  /** `onPause`: called every few thousand steps; throws to end the run. */
  constructor(onPause: () => void) {
    this.#onPause = onPause
  }

  step(at: Position | null): void {
    if (++this.steps > STEPS_MAX) throw tooMuch('ErrorTooManyOperations', 'Too many operations', at)
    if (this.steps >= this.#pause) {
      this.#pause = this.steps + STEPS_PAUSE
      this.#onPause()
    }
  }

  /** Work on `count` elements or characters that is no step of the script's own. */
  touch(count: number, at: Position | null): void {
    this.steps += Math.floor(count / TOUCHED_PER_STEP)
    this.step(at)
  }

  /** Something of `size` elements or characters was built. */
  build(size: number, at: Position | null): void {
    this.#memory += size
    if (this.#memory > MEMORY_MAX) {
      throw tooMuch('ErrorDataTooLarge', 'The function builds too much data', at)
    }
  }

  /** Goes some levels deeper; who does takes them back. */
  enter(at: Position | null, levels = 1): void {
    this.depth += levels
    if (this.depth > EVALUATION_DEPTH_MAX) {
      throw tooMuch('ErrorStackOverflow', 'Stack overflow', at)
    }
  }

  /** Refuses a container that has grown too large. */
  checkSize(value: Value, at: Position | null): void {
    if (Array.isArray(value)) {
      if (value.length > ARRAY_LENGTH_MAX) throw arrayTooLarge(at)
    } else if (value instanceof ScriptMap) {
      if (value.size > MAP_SIZE_MAX) {
        throw tooMuch('ErrorDataTooLarge', 'Size of object map too large', at)
      }
    } else if (typeof value === 'string') {
      this.checkLength(value.length, at)
    }
  }

  /** Refuses a string of that many units before it is made. */
  checkLength(length: number, at: Position | null): void {
    if (length > STRING_LENGTH_MAX) {
      throw tooMuch('ErrorDataTooLarge', 'Length of string too long', at)
    }
  }

  /** Refuses an array of that many elements before it is made. */
  checkCount(count: number, at: Position | null): void {
    if (count > ARRAY_LENGTH_MAX) throw arrayTooLarge(at)
  }

  /** A value of its own, all the way down. */
  copy(value: Value, at: Position | null, depth = 0): Value {
    if (value === null || typeof value !== 'object') return value
    if (depth > VALUE_DEPTH_MAX) throw tooMuch('ErrorDataTooLarge', 'Data is nested too deep', at)
    if (Array.isArray(value)) {
      this.build(value.length + 1, at)
      this.touch(value.length, at)
      const items: Value[] = []
      for (let i = 0; i < value.length; i++) items.push(this.copy(value[i]!, at, depth + 1))
      return items
    }
    if (value instanceof ScriptMap) {
      this.build(value.size * ENTRY_COST + 1, at)
      this.touch(value.size * ENTRY_COST, at)
      return this.#copyMap(value, at, depth)
    }
    return value instanceof Blob ? new Blob(value.bytes.slice()) : value
  }

  #copyMap(map: ScriptMap, at: Position | null, depth: number): ScriptMap {
    const copy = new ScriptMap()
    for (const [name, member] of map.entries()) {
      copy.set(name, member instanceof Unread ? member : this.copy(member, at, depth + 1))
    }
    return copy
  }
}

const arrayTooLarge = (at: Position | null): ScriptFault =>
  tooMuch('ErrorDataTooLarge', 'Size of array/BLOB too large', at)

const tooMuch = (
  kind: 'ErrorTooManyOperations' | 'ErrorDataTooLarge' | 'ErrorStackOverflow',
  text: string,
  at: Position | null,
): ScriptFault => new ScriptFault(kind, text, at)
