// A tree of the names in documents: whether the value at a name is shown, the format of its texts,
// and their languages. Nodes are created when a name is first read.
import { exactDecoder } from '../../../format/bytes/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { equalRanges, hashBytes } from '../../../format/json/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { isInfixSearched, localesOf, stemmingOf } from '../../settings/values/index.ts'
import type { Stemming } from '../../text/index.ts'
import type { FormatOptions, TextFormat } from './format-options.ts'

/** How much of the value at a name is shown. */
export const LEFT_OUT = 0
const WHOLE = 1
/** Only values nested in it under some names. */
export const PARTLY = 2

export type FieldTreeSource = {
  /** By field id. */
  readonly fieldNames: readonly string[]
  /** Shown names, each with everything nested in it; null for all. */
  readonly chosen: ReadonlySet<string> | null
  readonly options: FormatOptions
  readonly settings: IndexSettings
  /** Requested languages; null for those of the settings, by name. */
  readonly locales: readonly string[] | null
}

export class FieldTree {
  readonly #source: FieldTreeSource
  /** By field id. */
  readonly #fields: (FieldNode | undefined)[] = []
  /** Parents of chosen names. */
  readonly #above = new Set<string>()

  constructor(source: FieldTreeSource) {
    this.#source = source
    for (const name of source.chosen ?? []) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        this.#above.add(name.slice(0, dot))
      }
    }
  }

  field(fieldId: FieldId): FieldNode {
    let node = this.#fields[fieldId]
    if (node === undefined) {
      node = new FieldNode(this, this.#source.fieldNames[fieldId]!, LEFT_OUT)
      this.#fields[fieldId] = node
    }
    return node
  }

  /** Returns how much is shown at a name whose parent is shown as `parent`. */
  shown(name: string, parent: number): number {
    const { chosen } = this.#source
    if (parent === WHOLE || chosen === null || chosen.has(name)) return WHOLE
    return this.#above.has(name) ? PARTLY : LEFT_OUT
  }

  textFormat(name: string): TextFormat {
    return this.#source.options.textFormat(name)
  }

  isInfixSearched(name: string): boolean {
    return isInfixSearched(this.#source.settings, name)
  }

  stemmingOf(name: string): Stemming | null {
    return stemmingOf(this.#source.settings, name)
  }

  localesOf(name: string): readonly string[] | null {
    const { locales, settings } = this.#source
    if (locales !== null) return locales.length === 0 ? null : locales
    return settings.localizedAttributes === null ? null : localesOf(settings, name)
  }
}

type Child = { readonly key: Uint8Array; readonly node: FieldNode }

/** A node for one name. */
export class FieldNode {
  /** The path from the top level, joined by dots. */
  readonly name: string
  readonly shown: number
  readonly format: TextFormat
  readonly locales: readonly string[] | null
  /** True if texts inside of words are marked. */
  readonly isInfixSearched: boolean
  /** The stems of its words; null for none. */
  readonly stemming: Stemming | null
  readonly #tree: FieldTree
  #children: Map<number, Child[]> | null = null

  constructor(tree: FieldTree, name: string, parentShown: number) {
    this.#tree = tree
    this.name = name
    this.shown = tree.shown(name, parentShown)
    this.format = tree.textFormat(name)
    this.locales = tree.localesOf(name)
    this.stemming = tree.stemmingOf(name)
    this.isInfixSearched = tree.isInfixSearched(name)
  }

  /** Returns the node nested under the key bytes[from, to), unescaped UTF-8. */
  child(bytes: Uint8Array, from: number, to: number): FieldNode {
    const hash = hashBytes(bytes, from, to)
    this.#children ??= new Map()
    let children = this.#children.get(hash)
    if (children === undefined) this.#children.set(hash, (children = []))
    for (const { key, node } of children) {
      if (key.length === to - from && equalRanges(key, 0, bytes, from, to - from)) return node
    }
    const key = bytes.slice(from, to)
    const node = new FieldNode(this.#tree, `${this.name}.${exactDecoder.decode(key)}`, this.shown)
    children.push({ key, node })
    return node
  }
}
