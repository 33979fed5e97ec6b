// What the stored documents of an index add up to: how many have each field, which external ids
// there are, which documents must have a copy in the other layers.
import type { IndexState, SegmentState } from '../../engine/catalog/index.ts'
import { EngineFault } from '../../engine/errors.ts'
import { readExternalId } from '../../engine/intake/index.ts'
import { type IndexSettings, isFaceted, searchableRankOf } from '../../engine/settings/index.ts'
import { equalBytes } from '../../format/bytes/index.ts'
import { externalIdHash, type StoredDocument } from '../../format/documents/index.ts'
import { IdSet } from '../../format/idset/index.ts'
import { JsonBuffer } from '../../format/json/index.ts'
import { LiveExternalIds } from './external-ids.ts'

/** Names with a meaning of their own; what they are in is not the settings' business alone. */
const SPECIAL = '_'

export class LiveDocuments {
  readonly externalIds = new LiveExternalIds()
  /** Field id → live documents that have it. */
  readonly counts: Float64Array
  /** The largest field id of any document, dead ones included. */
  fieldMax = -1
  /** Documents whose external id is not that under the primary key, and the first of them. */
  strangers = 0
  firstStranger = -1
  readonly #primaryKey: string | null
  readonly #primaryField: number
  /** By field id, 1: a document that has it is in that layer. */
  readonly #searched: Uint8Array
  readonly #faceted: Uint8Array
  readonly #inText: number[] = []
  readonly #inColumns: number[] = []
  readonly #text = new JsonBuffer(64)

  /** `settings` null: they cannot be read, and nothing is known of the other layers. */
  constructor(index: IndexState, settings: IndexSettings | null) {
    this.counts = new Float64Array(index.fields.length)
    this.#primaryKey = index.primaryKey
    this.#primaryField = index.fieldIds.get(index.primaryKey ?? '') ?? -1
    const ordinary = (name: string): boolean => settings !== null && !name.startsWith(SPECIAL)
    this.#searched = Uint8Array.from(index.fields, (name) =>
      ordinary(name) && searchableRankOf(settings!, name) !== null ? 1 : 0,
    )
    this.#faceted = Uint8Array.from(index.fields, (name) =>
      ordinary(name) && isFaceted(settings!, name) ? 1 : 0,
    )
  }

  /** Live documents that have a searched field: they are in the text layer. */
  get inText(): IdSet {
    return IdSet.of(this.#inText)
  }

  /** Live documents that have a faceted field: they are in the columns layer. */
  get inColumns(): IdSet {
    return IdSet.of(this.#inColumns)
  }

  /** Takes the documents of one segment, dead ones as well. */
  visitor(segment: SegmentState): (document: StoredDocument) => void {
    return (document) => this.#visit(segment, document)
  }

  #visit({ segment, dead }: SegmentState, document: StoredDocument): void {
    const { id, externalId, fields } = document
    if (fields.count > 0) this.fieldMax = Math.max(this.fieldMax, fields.ids[fields.count - 1]!)
    if (dead.has(id)) return
    this.externalIds.add(externalIdHash(externalId), segment, id)
    let isSearched = 0
    let isFaceted = 0
    for (let i = 0; i < fields.count; i++) {
      const field = fields.ids[i]!
      if (field >= this.counts.length) continue
      this.counts[field]!++
      isSearched |= this.#searched[field]!
      isFaceted |= this.#faceted[field]!
    }
    if (isSearched === 1) this.#inText.push(id)
    if (isFaceted === 1) this.#inColumns.push(id)
    if (this.#isStranger(document)) {
      if (this.strangers++ === 0) this.firstStranger = id
    }
  }

  /** Whether the record says another id than the one it is found by. */
  #isStranger({ externalId, record, fields }: StoredDocument): boolean {
    if (this.#primaryKey === null) return true
    const i = this.#primaryField < 0 ? -1 : fields.indexOf(this.#primaryField)
    // A key with dots may lead into an object.
    if (i < 0) return !this.#primaryKey.includes('.')
    try {
      const { starts } = fields
      return !equalBytes(readExternalId(record, starts[i]!, starts[i + 1]!, this.#text), externalId)
    } catch (error) {
      // What stands there is no id.
      if (!(error instanceof EngineFault)) throw error
      return true
    }
  }
}
