// The description of a segment for people: numbers with units, and tables. The tools convert it to
// text.
import type { FieldId } from '../../../format/ids.ts'

/** A part of a sentence. */
export type Amount = string | { readonly bytes: number } | { readonly count: number }

type Fact = readonly [label: string, ...words: readonly Amount[]]

/** Rows of names and numbers, in the order of `columns`. */
export type LayerTable = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

export type LayerDescription = {
  /** Plain data for programs. `layer` is the name of the layer. */
  readonly content: { readonly layer: string; readonly [member: string]: unknown }
  /** Text for people. */
  readonly facts: readonly Fact[]
  readonly tables: readonly Omit<LayerTable, 'title'>[]
}

/** Returns a field's name, or a text with its id if names are unknown. */
export const fieldText = (field: FieldId, names: readonly string[] | null): string =>
  names?.[field] ?? `field ${field}`
