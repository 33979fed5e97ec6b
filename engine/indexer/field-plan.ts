// What is to be done with each field under the settings in force: is it searched, is it faceted,
// does anything below it matter? One tree of names, grown as names are met; a path through a
// document is a path through it.
//
// Names of nested fields become field ids when they are first met in a field of interest, in
// document order: `discover` walks a value for that and nothing else, so that ids do not depend on
// how many threads build segments afterwards.
import { KeySet } from '../../format/json/index.ts'
import {
  covers,
  type IndexSettings,
  isFaceted,
  localesOf,
  searchableRankOf,
} from '../settings/index.ts'
import type { FieldNames } from './field-names.ts'

/** Never searched, whatever the settings say. */
const UNSEARCHABLE = ['_vectors', '_geo', '_geojson']
/** Names nested deeper than documents can be are never met; this stops a mistake. */
export const NESTING_MAX = 256

export class FieldNode {
  readonly fieldId: number
  readonly name: string
  /** Its scalars are words of the text layer. */
  readonly searched: boolean
  readonly locales: readonly string[] | null
  /** Its values are kept in the columns layer. */
  readonly faceted: boolean
  /** It or something nested in it may be searched. */
  readonly textBelow: boolean
  /** It or something nested in it may be faceted. */
  readonly columnsBelow: boolean
  readonly #plan: FieldPlan
  readonly #keys = new KeySet()
  readonly #children: FieldNode[] = []

  constructor(plan: FieldPlan, fieldId: number, name: string, interest: Interest) {
    this.#plan = plan
    this.fieldId = fieldId
    this.name = name
    this.searched = interest.searched
    this.faceted = interest.faceted
    this.textBelow = interest.textBelow
    this.columnsBelow = interest.columnsBelow
    this.locales = interest.searched ? plan.localesOf(name) : null
  }

  /** Whether a value of the field has to be looked into at all. */
  get below(): boolean {
    return this.textBelow || this.columnsBelow
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

type Interest = {
  readonly searched: boolean
  readonly faceted: boolean
  readonly textBelow: boolean
  readonly columnsBelow: boolean
}

export class FieldPlan {
  readonly #settings: IndexSettings
  readonly #names: FieldNames
  readonly #nodes: (FieldNode | undefined)[] = []
  /** Documents may have a place. */
  readonly geo: boolean
  /** Documents may have a shape. */
  readonly geojson: boolean

  constructor(settings: IndexSettings, names: FieldNames) {
    this.#settings = settings
    this.#names = names
    this.geo = isFaceted(settings, '_geo')
    this.geojson = isFaceted(settings, '_geojson')
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
    return new FieldNode(this, this.#names.idOf(name), name, this.#interest(name))
  }

  localesOf(name: string): readonly string[] | null {
    return localesOf(this.#settings, name)
  }

  #interest(name: string): Interest {
    const searched =
      searchableRankOf(this.#settings, name) !== null &&
      !UNSEARCHABLE.some((special) => covers(special, name))
    const faceted = isFaceted(this.#settings, name)
    return {
      searched,
      faceted,
      textBelow: searched || this.#searchedBelow(name),
      columnsBelow: faceted || this.#facetedBelow(name),
    }
  }

  /** Whether the settings name something nested in `name` as searchable. */
  #searchedBelow(name: string): boolean {
    const inside = `${name}.`
    return this.#settings.searchableAttributes?.some((other) => other.startsWith(inside)) ?? false
  }

  /** Whether a setting names something nested in `name` to be faceted, or might by a pattern. */
  #facetedBelow(name: string): boolean {
    const inside = `${name}.`
    const { sortableAttributes, distinctAttribute } = this.#settings
    const { filterableAttributes, rankingRules } = this.#settings
    if (sortableAttributes.some((other) => other.startsWith(inside))) return true
    if (distinctAttribute?.startsWith(inside) || rankingRules.some((r) => r.startsWith(inside))) {
      return true
    }
    return filterableAttributes.some((rule) =>
      typeof rule === 'string'
        ? rule.startsWith(inside)
        : rule.attributePatterns.some((p) => p.includes('*') || p.startsWith(inside)),
    )
  }
}
