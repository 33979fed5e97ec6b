// Counts the steps and the memory of a run, and ends it at its limits.
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

/** Elements that one step may process: copying a thousand is as much work as 60 steps. */
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

  /** Counts work of the library on `count` elements or characters. */
  touch(count: number, at: Position | null): void {
    this.steps += Math.floor(count / TOUCHED_PER_STEP)
    this.step(at)
  }

  /** Counts memory for `size` elements or characters. */
  build(size: number, at: Position | null): void {
    this.#memory += size
    if (this.#memory > MEMORY_MAX) {
      throw tooMuch('ErrorDataTooLarge', 'The function builds too much data', at)
    }
  }

  /** Enters `levels` levels; the caller subtracts them again. */
  enter(at: Position | null, levels = 1): void {
    this.depth += levels
    if (this.depth > EVALUATION_DEPTH_MAX) {
      throw tooMuch('ErrorStackOverflow', 'Stack overflow', at)
    }
  }

  /** Throws if a container has grown too large. */
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

  /** Throws if a string of that many units would be too long; called before it is built. */
  checkLength(length: number, at: Position | null): void {
    if (length > STRING_LENGTH_MAX) {
      throw tooMuch('ErrorDataTooLarge', 'Length of string too long', at)
    }
  }

  /** Throws if an array of that many elements would be too long; called before it is built. */
  checkCount(count: number, at: Position | null): void {
    if (count > ARRAY_LENGTH_MAX) throw arrayTooLarge(at)
  }

  /** Returns a deep copy of a value. */
  copy(value: Value, at: Position | null, depth = 0): Value {
    if (value === null || typeof value !== 'object') return value
    if (depth >= VALUE_DEPTH_MAX) throw tooMuch('ErrorDataTooLarge', 'Data is nested too deep', at)
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
