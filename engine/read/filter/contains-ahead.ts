// CONTAINS conditions that are not united with others. The first one of a field that runs walks
// over the field's texts for those that follow it in the filter as well, some at a time: a walk
// costs more than looking for a further text in it.
import type { IdSet } from '../../../format/idset/index.ts'
import type { FilterContext } from './context.ts'
import { type FilterTree, leaves } from './tree.ts'

/** Parts looked for in one walk: their sets are kept until the next walk. */
const PARTS_PER_WALK = 128

type Parts = {
  /** Distinct, in the order of the filter. */
  readonly all: readonly string[]
  readonly position: ReadonlyMap<string, number>
  /** What the last walk found. */
  found: ReadonlyMap<string, IdSet>
}

export class ContainsAhead {
  readonly #root: FilterTree
  readonly #context: FilterContext
  #byField: Map<string, Parts> | null = null

  constructor(root: FilterTree, context: FilterContext) {
    this.#root = root
    this.#context = context
  }

  /** `part` is the normalised text of a condition of the filter on the field of this name. */
  find(name: string, field: number, part: string): IdSet {
    const { columns, checkpoint } = this.#context
    this.#byField ??= this.#collect()
    const parts = this.#byField.get(name)
    if (parts === undefined || parts.all.length === 1) {
      return columns.stringContains(field, part, checkpoint)
    }
    const known = parts.found.get(part)
    if (known !== undefined) return known
    const from = parts.position.get(part)!
    const some = parts.all.slice(from, from + PARTS_PER_WALK)
    const sets = columns.stringsContainingEach(field, some, checkpoint)
    parts.found = new Map(some.map((text, i) => [text, sets[i]!]))
    return parts.found.get(part)!
  }

  #collect(): Map<string, Parts> {
    const byField = new Map<string, Map<string, number>>()
    for (const leaf of leaves(this.#root)) {
      if (leaf.kind !== 'contains') continue
      const name = leaf.field.text
      const position = byField.get(name) ?? new Map<string, number>()
      byField.set(name, position)
      const text = this.#context.normalise(leaf.value.text)
      if (!position.has(text)) position.set(text, position.size)
    }
    return new Map(
      [...byField].map(([name, position]) => [
        name,
        { all: [...position.keys()], position, found: new Map() },
      ]),
    )
  }
}
