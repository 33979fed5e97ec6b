// The texts of some fields of a document, as they are stored: the most important field first, the
// elements of lists in their order. Values that are no strings are left out.
import { exactDecoder } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { DocId, FieldId } from '../../../format/ids.ts'
import { localesOf } from '../../settings/values/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { TEXTS_READ_MAX, VALUE_BYTES_MAX } from './limits.ts'

export type FieldText = {
  readonly text: string
  /** The possible languages of its field; null for any. */
  readonly locales: readonly string[] | null
}

/** A field, and the names that lead to it from a field of the record. */
type Path = { readonly name: string; readonly below: string; readonly weight: number }

export class FieldTexts {
  readonly #view: SearchableView
  readonly #record = new RecordFields()
  /** By the name of a field of the record. */
  readonly #paths = new Map<string, Path[]>()

  constructor(view: SearchableView, fields: readonly FieldId[]) {
    this.#view = view
    for (const field of fields) {
      const name = view.search.fields[field]!
      const weight = view.search.weightOf(field) ?? 0
      this.#add(name, { name, below: '', weight })
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        this.#add(name.slice(0, dot), { name, below: name.slice(dot + 1), weight })
      }
    }
  }

  #add(top: string, path: Path): void {
    const paths = this.#paths.get(top)
    if (paths === undefined) this.#paths.set(top, [path])
    else paths.push(path)
  }

  /** Yields the texts of a live document. @throws StorageError, CorruptionError */
  *of(id: DocId): Generator<FieldText, void, undefined> {
    const record = this.#view.view.record(id)
    if (record === null) return
    const fields = this.#record
    fields.read(record)
    const found: { readonly path: Path; readonly value: Uint8Array }[] = []
    for (let i = 0; i < fields.count; i++) {
      const paths = this.#paths.get(this.#view.search.fields[fields.ids[i]!]!) ?? []
      const value = fields.value(i)
      if (value.length > VALUE_BYTES_MAX) continue
      for (const path of paths) found.push({ path, value })
    }
    found.sort((a, b) => a.path.weight - b.path.weight)
    for (const { path, value } of found) {
      const texts: string[] = []
      collect(JSON.parse(exactDecoder.decode(value)), path.below, texts)
      const locales = localesOf(this.#view.settings, path.name)
      for (const text of texts) yield { text, locales }
    }
  }
}

/** Adds the texts at the names `below` a value to `texts`. */
function collect(value: unknown, below: string, texts: string[]): void {
  if (texts.length >= TEXTS_READ_MAX) return
  if (Array.isArray(value)) {
    for (const element of value) collect(element, below, texts)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (below === name) collect(inner, '', texts)
      else if (below.startsWith(`${name}.`)) collect(inner, below.slice(name.length + 1), texts)
    }
  } else if (typeof value === 'string' && below === '') {
    texts.push(value)
  }
}
