// Stored documents in the form that templates read.
import { RecordFields } from '../../../format/documents/index.ts'
import { parsedForTemplate, type TemplateDocument } from '../../ai/template/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'

export class TemplateDocuments {
  readonly #names: FieldNames
  readonly #fields = new RecordFields()

  constructor(names: FieldNames) {
    this.#names = names
  }

  /** Returns the document with its members in the order of field ids passed, or of the record. */
  of(record: Uint8Array, order: readonly number[] = []): TemplateDocument {
    const fields = this.#fields
    fields.read(record)
    const members: [string, unknown][] = []
    for (let f = 0; f < fields.count; f++) {
      const value = parsedForTemplate(Buffer.from(fields.value(f)).toString())
      members.push([this.#names.name(fields.ids[f]! as never), value])
    }
    if (order.length === 0) return Object.fromEntries(members)
    const places = new Map(order.map((field, i) => [this.#names.name(field as never), i]))
    members.sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
    return Object.fromEntries(members)
  }
}
