// Evaluates a disjunction of many conditions. Conditions on one field of one kind are collected and
// looked up together: one pass over the values instead of one for each condition.
import type { IdUnion } from '../../../format/idset/index.ts'
import type {
  CompareNode,
  FilterTree,
  GeoCircle,
  GeoRadiusNode,
  InNode,
  ListedValues,
  NumberRange,
  TextNode,
  TextRange,
} from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'
import { anyEqual, circleOf, fieldOf, shapesInRadius } from './evaluate-leaf.ts'
import { SHARD_FIELD } from './gates.ts'
import { valueRanges } from './ranges.ts'

/** The conditions on one field. */
type Group = {
  readonly literals: string[]
  readonly lists: ListedValues[]
  readonly numbers: NumberRange[]
  readonly texts: TextRange[]
  readonly prefixes: string[]
  readonly parts: string[]
}

export class Disjunction {
  readonly #context: FilterContext
  readonly #groups = new Map<number, Group>()
  readonly #circles: GeoCircle[] = []
  readonly #radii: GeoRadiusNode[] = []

  constructor(context: FilterContext) {
    this.#context = context
  }

  /** Adds a condition without a fault. Returns false if the tree has to be evaluated separately. */
  take(tree: FilterTree): boolean {
    switch (tree.kind) {
      case 'compare':
        return tree.operator === '!=' ? false : this.#takeValues(tree)
      case 'between':
      case 'in':
        return this.#takeValues(tree)
      case 'contains':
      case 'startsWith':
        return this.#takeText(tree)
      case 'geoRadius':
        if (tree.path !== '') return false
        if (this.#context.rules.hasGeo) this.#circles.push(circleOf(tree))
        this.#radii.push(tree)
        return true
      default:
        return false
    }
  }

  /** Adds the documents that the collected conditions match. */
  addTo(union: IdUnion): void {
    const { columns, checkpoint } = this.#context
    for (const [field, { literals, lists, numbers, texts, prefixes, parts }] of this.#groups) {
      checkpoint()
      if (literals.length + lists.length > 0) {
        union.addSet(anyEqual(field, [literals, ...lists], this.#context))
      }
      if (numbers.length > 0) union.addSet(columns.numbersWithin(field, numbers, checkpoint))
      if (texts.length > 0 || prefixes.length > 0) {
        union.addSet(columns.stringsWithin(field, texts, prefixes, checkpoint))
      }
      if (parts.length > 0) union.addSet(columns.stringsContaining(field, parts, checkpoint))
    }
    if (this.#circles.length > 0) union.addSet(columns.geoCircles(this.#circles, checkpoint))
    for (const leaf of this.#radii) {
      checkpoint()
      union.addSet(shapesInRadius(leaf, this.#context))
    }
  }

  #takeValues(leaf: CompareNode | InNode | Extract<FilterTree, { kind: 'between' }>): boolean {
    if (leaf.field.text === SHARD_FIELD) return false
    const group = this.#groupOf(leaf.field.text)
    if (group === null) return true
    if (leaf.kind === 'in') group.lists.push(leaf.values)
    else if (leaf.kind === 'compare' && leaf.operator === '=') group.literals.push(leaf.value.text)
    else {
      const { numbers, texts } = valueRanges(leaf, this.#context.normalise)
      if (numbers !== null) group.numbers.push(numbers)
      if (texts !== null) group.texts.push(texts)
    }
    return true
  }

  #takeText({ kind, field, value }: TextNode): boolean {
    const text = this.#context.normalise(value.text)
    // The empty prefix matches every document with the field.
    if (kind === 'startsWith' && text === '') return false
    const group = this.#groupOf(field.text)
    if (group !== null) (kind === 'contains' ? group.parts : group.prefixes).push(text)
    return true
  }

  /** Returns null if no document ever had the field, so that nothing matches. */
  #groupOf(name: string): Group | null {
    const field = fieldOf(name, this.#context)
    if (field === null) return null
    const existing = this.#groups.get(field)
    if (existing !== undefined) return existing
    const group: Group = {
      literals: [],
      lists: [],
      numbers: [],
      texts: [],
      prefixes: [],
      parts: [],
    }
    this.#groups.set(field, group)
    return group
  }
}
