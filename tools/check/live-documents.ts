// Collects facts from the stored documents of an index: how many have each field, their external
// ids, and which documents must have a copy in other layers.

import { EngineFault, type IndexSettings } from '../../engine/index.ts'
import {
  type IndexState,
  PROFILES,
  readExternalId,
  type SegmentState,
} from '../../engine/inspect.ts'
import { equalBytes } from '../../format/bytes/index.ts'
import { externalIdHash, type StoredDocument } from '../../format/documents/index.ts'
import { IdSet } from '../../format/idset/index.ts'
import { JsonBuffer } from '../../format/json/index.ts'
import type { Layer } from '../../format/manifest/index.ts'
import { LiveExternalIds } from './external-ids.ts'

/** Prefix of special names, whose layers do not depend only on the settings. */
const SPECIAL = '_'

/** The documents that a layer must hold under the active settings. */
type Expectation = {
  readonly layer: Layer
  readonly fields: string
  /** By field id: 1 if a document with the field is in the layer. */
  readonly held: Uint8Array
  readonly ids: number[]
}

const expectationsOf = (index: IndexState, settings: IndexSettings): Expectation[] =>
  PROFILES.flatMap((layer) => {
    const use = layer.use(settings)
    if (use === null || use.checkedAs === null) return []
    const held = Uint8Array.from(index.fields, (name) =>
      !name.startsWith(SPECIAL) && use.holds(name) ? 1 : 0,
    )
    return [{ layer: layer.name, fields: use.checkedAs, held, ids: [] }]
  })

function hasOneOf(fields: StoredDocument['fields'], held: Uint8Array): boolean {
  for (let i = 0; i < fields.count; i++) if (held[fields.ids[i]!] === 1) return true
  return false
}

export class LiveDocuments {
  readonly externalIds = new LiveExternalIds()
  /** Field id → live documents that have it. */
  readonly counts: Float64Array
  /**
   * Number of documents whose external id differs from their primary key, and the first of them.
   */
  strangers = 0
  firstStranger = -1
  readonly #primaryKey: string | null
  readonly #primaryField: number
  readonly #expectations: readonly Expectation[]
  readonly #text = new JsonBuffer(64)

  /** `settings` is null if they cannot be read; then the other layers are not checked. */
  constructor(index: IndexState, settings: IndexSettings | null) {
    this.counts = new Float64Array(index.fields.length)
    this.#primaryKey = index.primaryKey
    this.#primaryField = index.fieldIds.get(index.primaryKey ?? '') ?? -1
    this.#expectations = settings === null ? [] : expectationsOf(index, settings)
  }

  /**
   * Returns the documents that must be in the layer, and the names of the fields that require it.
   */
  expected(layer: Layer): { readonly fields: string; readonly ids: IdSet } | null {
    const expectation = this.#expectations.find((one) => one.layer === layer)
    if (expectation === undefined) return null
    return { fields: expectation.fields, ids: IdSet.of(expectation.ids) }
  }

  /** Returns a visitor for the documents of one segment, dead ones included. */
  visitor(segment: SegmentState): (document: StoredDocument) => void {
    return (document) => this.#visit(segment, document)
  }

  #visit({ segment, dead }: SegmentState, document: StoredDocument): void {
    const { id, externalId, fields } = document
    if (dead.has(id)) return
    this.externalIds.add(externalIdHash(externalId), segment, id)
    for (let i = 0; i < fields.count; i++) {
      const field = fields.ids[i]!
      if (field < this.counts.length) this.counts[field]!++
    }
    for (const { ids, held } of this.#expectations) {
      if (hasOneOf(fields, held)) ids.push(id)
    }
    if (this.#isStranger(document)) {
      if (this.strangers++ === 0) this.firstStranger = id
    }
  }

  /** Returns true if the record holds another id than the one that it is found by. */
  #isStranger({ externalId, record, fields }: StoredDocument): boolean {
    if (this.#primaryKey === null) return true
    const i = this.#primaryField < 0 ? -1 : fields.indexOf(this.#primaryField)
    // A key with dots may lead into an object.
    if (i < 0) return !this.#primaryKey.includes('.')
    try {
      const { starts } = fields
      return !equalBytes(readExternalId(record, starts[i]!, starts[i + 1]!, this.#text), externalId)
    } catch (error) {
      // The value is not a valid id.
      if (!(error instanceof EngineFault)) throw error
      return true
    }
  }
}
