// How a layer tells people what is in a segment: numbers with their units and tables, which the
// tools put into words.
import type { FieldId } from '../../../format/ids.ts'

/** A piece of a sentence. */
export type Amount = string | { readonly bytes: number } | { readonly count: number }

type Fact = readonly [label: string, ...words: readonly Amount[]]

/** Names and numbers, in the order of `columns`. */
export type LayerTable = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export type LayerDescription = {
  /** As plain data, for programs. `layer`: its name. */
  readonly content: { readonly layer: string; readonly [member: string]: unknown }
  /** For people. */
  readonly facts: readonly Fact[]
  readonly tables: readonly Omit<LayerTable, 'title'>[]
}

/** A field by name where names are known, else by id. */
export const fieldText = (field: FieldId, names: readonly string[] | null): string =>
  names?.[field] ?? `field ${field}`
