// What is to be done with each field under the settings in force: which layers hold its values, and
// which may hold values nested in it. One tree of names, grown as names are met; a path through a
// document is a path through it.
//
// Names of nested fields become field ids when they are first met in a field of interest, in
// document order: `discoverFields` walks a value for that and nothing else, so that ids do not
// depend on how many threads build segments afterwards.
import { KeySet } from '../../../format/json/index.ts'
import type { FieldNames } from './field-names.ts'

/** Names nested deeper than documents can be are never met; this stops a mistake. */
export const NESTING_MAX = 256

/** Which fields a layer takes values from. Names of nested fields are joined by dots. */
export type FieldUse = {
  /**
   * What people call a field whose values it holds, where every document with one is in the layer:
   * a check then looks for those that are missing. null: documents with one may be absent.
   */
  readonly checkedAs: string | null
  /** Whether the layer holds the values of the field itself. */
  readonly holds: (name: string) => boolean
  /** Whether it holds values of a field nested in it, or might. */
  readonly holdsBelow: (name: string) => boolean
}

export class FieldNode {
  readonly fieldId: number
  readonly name: string
  /** Bit `i`: the i-th use of the plan holds the values of this field. */
  readonly held: number
  /** Bit `i`: it holds them, or may hold values nested in them. */
  readonly reached: number
  readonly #plan: FieldPlan
  readonly #keys = new KeySet()
  readonly #children: FieldNode[] = []

  constructor(plan: FieldPlan, fieldId: number, name: string, held: number, reached: number) {
    this.#plan = plan
    this.fieldId = fieldId
    this.name = name
    this.held = held
    this.reached = reached
  }

  /** The field of a member whose key is bytes[from, to); made, with its id, when it is new. */
  child(bytes: Uint8Array, from: number, to: number): FieldNode {
    const index = this.#keys.add(bytes, from, to)
    if (index < this.#children.length) return this.#children[index]!
    const key = decoder.decode(bytes.subarray(from, to))
    const node = this.#plan.make(`${this.name}.${key}`)
    this.#children.push(node)
    return node
  }
}

const decoder = new TextDecoder()

export class FieldPlan {
  readonly #uses: readonly (FieldUse | null)[]
  readonly #names: FieldNames
  readonly #nodes: (FieldNode | undefined)[] = []

  /** `uses`: at most 31, null: none. `names` grows. */
  constructor(uses: readonly (FieldUse | null)[], names: FieldNames) {
    this.#uses = uses
    this.#names = names
  }

  /** The plan for a top-level field. */
  field(fieldId: number): FieldNode {
    const known = this.#nodes[fieldId]
    if (known !== undefined) return known
    const node = this.make(this.#names.name(fieldId))
    this.#nodes[fieldId] = node
    return node
  }

  make(name: string): FieldNode {
    let held = 0
    let reached = 0
    this.#uses.forEach((use, i) => {
      const holds = use?.holds(name) === true
      if (holds) held |= 1 << i
      if (holds || use?.holdsBelow(name) === true) reached |= 1 << i
    })
    return new FieldNode(this, this.#names.idOf(name), name, held, reached)
  }
}
