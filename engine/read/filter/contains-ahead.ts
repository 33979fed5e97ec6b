// Evaluates CONTAINS conditions that are not part of a disjunction. The first one of a field that
// runs also searches for the parts of later ones on that field, some at a time: a walk over the
// field's texts costs more than searching each for a further part.
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { type FilterTree, leaves } from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'

/** Parts searched in one walk; their sets are held until the next walk. */
const PARTS_PER_WALK = 128

type Parts = {
  /** Distinct parts in the order of the filter. */
  readonly all: readonly string[]
  readonly position: ReadonlyMap<string, number>
  /** Results of the last walk. */
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

  /** `part` is the normalized text of a condition of the filter on the field `name`. */
  find(name: string, field: FieldId, part: string): IdSet {
    const { columns, checkpoint } = this.#context
    this.#byField ??= this.#collect()
    const parts = this.#byField.get(name)
    if (parts === undefined || parts.all.length === 1) {
      return columns.stringContains(field, part, checkpoint)
    }
    const cached = parts.found.get(part)
    if (cached !== undefined) return cached
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
