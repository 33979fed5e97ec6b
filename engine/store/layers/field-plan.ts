// The plan of fields under the active settings: by field, the layers that hold its values and the
// layers that may hold values nested in it. It is a tree of names that grows as names are found; a
// path through a document is a path through the tree.
//
// Names of nested fields get their ids when they are first found in a field that a layer may hold,
// in document order. `discoverFields` walks a value only for that, so ids do not depend on the
// number of threads that build segments later.
import { decoder } from '../../../format/bytes/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { KeySet } from '../../../format/json/index.ts'
import type { FieldNames } from './field-names.ts'

/** The fields whose values a layer holds. Names of nested fields are joined by dots. */
export type FieldUse = {
  /**
   * The word for a field whose values the layer holds, if the layer contains every document with
   * such a value: the check then searches for missing documents. Null if documents with values may
   * be missing from the layer.
   */
  readonly checkedAs: string | null
  /** Returns true if the layer holds the values of the field itself. */
  readonly holds: (name: string) => boolean
  /** Returns true if the layer may hold values of a field nested in it. */
  readonly holdsBelow: (name: string) => boolean
}

export class FieldNode {
  readonly fieldId: FieldId
  readonly name: string
  /** Bit `i`: the i-th use of the plan holds the values of this field. */
  readonly held: number
  /** Bit `i`: the i-th use holds the values of this field or may hold values nested in it. */
  readonly reached: number
  readonly #plan: FieldPlan
  readonly #keys = new KeySet()
  readonly #children: FieldNode[] = []

  constructor(plan: FieldPlan, fieldId: FieldId, name: string, held: number, reached: number) {
    this.#plan = plan
    this.fieldId = fieldId
    this.name = name
    this.held = held
    this.reached = reached
  }

  /**
   * Returns the field of a member whose key is bytes[from, to); creates it, with its id, if it is
   * new.
   */
  child(bytes: Uint8Array, from: number, to: number): FieldNode {
    const index = this.#keys.add(bytes, from, to)
    if (index < this.#children.length) return this.#children[index]!
    const key = decoder.decode(bytes.subarray(from, to))
    const node = this.#plan.make(`${this.name}.${key}`)
    this.#children.push(node)
    return node
  }
}

export class FieldPlan {
  readonly #uses: readonly (FieldUse | null)[]
  readonly #names: FieldNames
  readonly #nodes: (FieldNode | undefined)[] = []

  /** `uses`: at most 31; null for a use without fields. `names` grows. */
  constructor(uses: readonly (FieldUse | null)[], names: FieldNames) {
    this.#uses = uses
    this.#names = names
  }

  /** Returns the plan of a top-level field. */
  field(fieldId: FieldId): FieldNode {
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
