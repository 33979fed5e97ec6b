// The location of a value: a variable, an element, a member, a character of a string. Changes of
// strings and numbers are written back to it.
import { type Position, ScriptFault } from './faults.ts'
import type { Meter } from './meter.ts'
import { type Cell, Char, type ScriptMap, textOfString, type Value } from './values.ts'

export interface Place {
  readonly value: Value
  /** @throws ScriptFault for a constant */
  write(value: Value): void
  /** The constant that makes every part of it read-only, or null. */
  readonly constant: Constant | null
}

export type Constant = { readonly name: string; readonly at: Position }

/** The place of a temporary value: changes are lost with it. */
export class TemporaryPlace implements Place {
  value: Value
  readonly constant = null

  constructor(value: Value) {
    this.value = value
  }

  write(value: Value): void {
    this.value = value
  }
}

export class VariablePlace implements Place {
  readonly #cell: Cell
  readonly constant: Constant | null

  constructor(cell: Cell, at: Position) {
    this.#cell = cell
    this.constant = cell.isConstant ? { name: cell.name, at } : null
  }

  get value(): Value {
    return this.#cell.value
  }

  write(value: Value): void {
    if (this.constant !== null) throw constantFault(this.constant)
    this.#cell.value = value
  }
}

export class MemberPlace implements Place {
  readonly #map: ScriptMap
  readonly #name: string
  readonly #at: Position
  readonly #meter: Meter
  readonly constant: Constant | null

  constructor(map: ScriptMap, name: string, constant: Constant | null, at: Position, meter: Meter) {
    this.#map = map
    this.#name = name
    this.constant = constant
    this.#at = at
    this.#meter = meter
  }

  get value(): Value {
    return this.#map.get(this.#name) ?? null
  }

  write(value: Value): void {
    if (this.constant !== null) throw constantFault(this.constant)
    this.#map.set(this.#name, value)
    this.#meter.checkSize(this.#map, this.#at)
  }
}

export class ElementPlace implements Place {
  readonly #array: Value[]
  readonly #index: number
  readonly constant: Constant | null

  constructor(array: Value[], index: number, constant: Constant | null) {
    this.#array = array
    this.#index = index
    this.constant = constant
  }

  get value(): Value {
    return this.#array[this.#index] ?? null
  }

  write(value: Value): void {
    if (this.constant !== null) throw constantFault(this.constant)
    // A function may have shortened the array while it was called for this element.
    if (this.#index < this.#array.length) this.#array[this.#index] = value
  }
}

/** A character of a string; `refuse` returns the fault for a value that is not a character. */
export class CharacterPlace implements Place {
  readonly #string: Place
  readonly #characters: string[]
  readonly #index: number
  readonly #refuse: (value: Value) => ScriptFault

  constructor(
    string: Place,
    characters: string[],
    index: number,
    refuse: (value: Value) => ScriptFault,
  ) {
    this.#string = string
    this.#characters = characters
    this.#index = index
    this.#refuse = refuse
  }

  get constant(): Constant | null {
    return this.#string.constant
  }

  get value(): Value {
    return new Char(this.#characters[this.#index]!)
  }

  write(value: Value): void {
    const text = textOfString(value)
    if (text === null || Array.from(text).length !== 1) throw this.#refuse(value)
    this.#characters[this.#index] = text
    this.#string.write(this.#characters.join(''))
  }
}

export const constantFault = ({ name, at }: Constant): ScriptFault =>
  new ScriptFault('ErrorAssignmentToConstant', `Cannot modify constant ${name}`, at)
