// Documents of other indexes that a search reaches over foreign keys: in conditions of its filter,
// and in its hits, where they replace the ids that name them. Documents that the caller may not see
// are treated as absent.
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  decoder,
  encoder,
  MINUS,
  NINE,
  QUOTE,
  ZERO,
} from '../../../format/bytes/index.ts'
import { RecordFields, RecordWriter } from '../../../format/documents/index.ts'
import type { FieldId, IndexUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer, Members, skipValue, writeJsonString } from '../../../format/json/index.ts'
import type { Features } from '../../model/index.ts'
import type { ForeignFilters } from '../filter/index.ts'
import { type FilterTree, FOREIGN_DOCUMENTS_MAX } from '../filter-syntax/index.ts'
import {
  FOREIGN_HITS_MAX,
  type ForeignAccess,
  indexNotFound,
  type SearchableView,
  SearchControl,
} from '../jobs/index.ts'
import { Selection } from '../present/index.ts'
import { filtered, readFilter } from './candidates.ts'

const UNHURRIED = new SearchControl(Number.POSITIVE_INFINITY, () => false)
/** The member of hits that repeats their fields. */
const FORMATTED = '_formatted'

/** The indexes that one request may reach over foreign keys. */
export class ForeignIndexes {
  readonly #views: ReadonlyMap<IndexUid, SearchableView>
  readonly #access: ReadonlyMap<IndexUid, ForeignAccess>
  readonly #features: Features
  /** Visible documents by index. */
  readonly #seen = new Map<string, IdSet>()

  constructor(
    views: readonly SearchableView[],
    access: readonly ForeignAccess[],
    features: Features,
  ) {
    this.#views = new Map(views.map((view) => [view.ref.uid, view]))
    this.#access = new Map(access.map((one) => [one.uid, one]))
    this.#features = features
  }

  /**
   * Returns the foreign conditions that a filter of this index may use, or null if the index has no
   * foreign keys.
   */
  filtersOf({ settings }: SearchableView, control: SearchControl): ForeignFilters | null {
    const keys = settings.foreignKeys
    if (keys.length === 0) return null
    const uidsOf = (field: string): readonly IndexUid[] =>
      keys.filter(({ fieldName }) => fieldName === field).map((key) => key.foreignIndexUid)
    return {
      isForeignKey: (field) => uidsOf(field).length > 0,
      match: (field, condition) =>
        uidsOf(field).flatMap((uid) => this.#match(uid, condition, control)),
    }
  }

  /**
   * @throws EngineFault index_not_found for an index that does not exist or is hidden from the
   * caller
   */
  #match(uid: IndexUid, condition: FilterTree, control: SearchControl): readonly string[] {
    const view = this.#views.get(uid)
    if (view === undefined || this.#access.get(uid)?.isHidden === true) throw indexNotFound(uid)
    const found = filtered(view, condition, 'foreign', control).and(this.seen(view, control))
    return [...found.first(FOREIGN_DOCUMENTS_MAX + 1)].map((id) => {
      const externalId = view.view.externalId(id)
      return externalId === null ? '' : decoder.decode(externalId)
    })
  }

  /**
   * Returns the documents of an index that the caller may see; evaluating the filter of a token
   * takes time.
   */
  seen(view: SearchableView, control = UNHURRIED): IdSet {
    const { uid } = view.ref
    const cached = this.#seen.get(uid)
    if (cached !== undefined) return cached
    const filter = this.#access.get(uid)?.filter ?? null
    const tree = readFilter(filter, 'search', uid, this.#features, control)
    const seen = tree === null ? view.view.live() : filtered(view, tree, 'search', control)
    this.#seen.set(uid, seen)
    return seen
  }

  /**
   * Returns the hydrator for hits of this index, or null if its documents have no visible foreign
   * keys.
   * @throws EngineFault index_not_found for a foreign index that does not exist
   */
  hydratorOf({ settings }: SearchableView): Hydrator | null {
    const targets = new Map<string, Target>()
    for (const { fieldName, foreignIndexUid: uid } of settings.foreignKeys) {
      if (this.#access.get(uid)?.isHidden === true) continue
      const view = this.#views.get(uid)
      if (view === undefined) throw indexNotFound(uid)
      if (!targets.has(fieldName)) targets.set(fieldName, new Target(view, this.seen(view)))
    }
    return targets.size === 0 ? null : new Hydrator(targets)
  }
}

/** Provides the documents of a foreign index that are shown in hits. */
export type ForeignTarget = {
  /** Appends the document with this external id; returns false if the id is to stay. */
  readonly write: (externalId: Uint8Array, out: JsonBuffer) => boolean
}

/** A foreign index whose documents are shown in hits with its displayed fields. */
export class Target implements ForeignTarget {
  readonly #view: SearchableView
  readonly #seen: IdSet
  readonly #selection: Selection
  readonly #vectorsField: number
  readonly #fields = new RecordFields()

  constructor(view: SearchableView, seen: IdSet) {
    this.#view = view
    this.#seen = seen
    const names = view.settings.displayedAttributes ?? view.search.fields
    const existing = names.filter((name) => view.fieldId(name) !== null)
    this.#selection = new Selection(existing, view.search.fields)
    this.#vectorsField = view.fieldId('_vectors') ?? -1
  }

  /** Returns whether a visible document has this external id. */
  has(externalId: Uint8Array): boolean {
    const id = this.#view.view.idOf(externalId)
    return id >= 0 && this.#seen.has(id)
  }

  /** Appends the document with this external id, or an empty object if it does not exist. */
  write(externalId: Uint8Array, out: JsonBuffer): boolean {
    out.byte(BRACE)
    const id = this.#view.view.idOf(externalId)
    const record = id >= 0 && this.#seen.has(id) ? this.#view.view.record(id) : null
    if (record !== null) {
      this.#fields.read(record)
      this.#selection.write(this.#fields, record, this.#view.keys, this.#vectorsField, out)
    }
    out.byte(BRACE_END)
    return true
  }
}

/** Replaces ids in the records of hits with documents. */
export class Hydrator {
  readonly #targets: ReadonlyMap<string, ForeignTarget>
  /** Names of the objects that contain a foreign key. */
  readonly #above = new Set<string>()
  readonly #writer = new RecordWriter()
  readonly #text = new JsonBuffer(256)
  #left = FOREIGN_HITS_MAX

  constructor(targets: ReadonlyMap<string, ForeignTarget>) {
    this.#targets = targets
    for (const name of targets.keys()) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        this.#above.add(name.slice(0, dot))
      }
    }
  }

  /**
   * Returns the record last read into `fields`, with ids replaced by documents in fields for which
   * `isShown` returns true. `names`: names of fields by id. The bytes are valid until the next
   * call.
   */
  record(
    fields: RecordFields,
    names: readonly string[],
    isShown: (field: FieldId) => boolean,
  ): Uint8Array {
    this.#writer.begin()
    for (let i = 0; i < fields.count; i++) {
      const field = fields.ids[i]!
      const value = fields.value(i)
      const name = names[field]!
      const isKey = this.#targets.has(name) || this.#above.has(name)
      if (isKey && isShown(field)) {
        this.#text.clear()
        this.#value(value, 0, value.length, name, this.#text)
        this.#writer.add(field, this.#text.view())
      } else this.#writer.add(field, value)
    }
    return this.#writer.finish()
  }

  /** Appends a hit as JSON, with documents in its fields and in `_formatted`. */
  hit(bytes: Uint8Array, at: number, out: JsonBuffer): void {
    out.byte(BRACE)
    this.#members(bytes, at, '', out, FORMATTED)
    out.byte(BRACE_END)
  }

  /**
   * Appends the members of the object that begins at `at`, without its braces. `again`: a member
   * whose members have the paths of the object itself.
   */
  #members(
    bytes: Uint8Array,
    at: number,
    prefix: string,
    out: JsonBuffer,
    again: string | null = null,
  ): void {
    const members = new Members()
    members.scan(bytes, at)
    for (let i = 0; i < members.count; i++) {
      if (i > 0) out.byte(COMMA)
      const key = members.key(i)
      writeJsonString(out, key, 0, key.length)
      out.byte(COLON)
      const path = prefix + decoder.decode(key)
      const from = members.valueStart[i]!
      if (path === again) {
        out.byte(BRACE)
        this.#members(bytes, from, prefix, out)
        out.byte(BRACE_END)
      } else this.#value(bytes, from, members.valueEnd[i]!, path, out)
    }
  }

  #value(bytes: Uint8Array, from: number, to: number, path: string, out: JsonBuffer): void {
    const target = this.#targets.get(path)
    const isAbove = this.#above.has(path)
    if (target === undefined && !isAbove) out.append(bytes, from, to)
    else if (bytes[from] === BRACKET) this.#list(bytes, from, path, out)
    else if (bytes[from] === BRACE && isAbove) {
      out.byte(BRACE)
      this.#members(bytes, from, `${path}.`, out)
      out.byte(BRACE_END)
    } else this.#scalar(bytes, from, to, target, out)
  }

  /** Elements of a list have the path of the list. */
  #list(bytes: Uint8Array, from: number, path: string, out: JsonBuffer): void {
    out.byte(BRACKET)
    let next = from + 1
    for (let i = 0; bytes[next] !== BRACKET_END; i++) {
      if (i > 0) out.byte(COMMA)
      const end = skipValue(bytes, next)
      this.#value(bytes, next, end, path, out)
      next = bytes[end] === COMMA ? end + 1 : end
    }
    out.byte(BRACKET_END)
  }

  /**
   * Replaces a text or number by its document while the limit of documents allows it; appends any
   * other value unchanged.
   */
  #scalar(
    bytes: Uint8Array,
    from: number,
    to: number,
    target: ForeignTarget | undefined,
    out: JsonBuffer,
  ): void {
    const first = bytes[from]!
    const isNumber = first === MINUS || (first >= ZERO && first <= NINE)
    if (target === undefined || (first !== QUOTE && !isNumber) || this.#left === 0) {
      out.append(bytes, from, to)
      return
    }
    this.#left--
    const written = bytes.subarray(from, to)
    const id = isNumber ? written : encoder.encode(JSON.parse(decoder.decode(written)) as string)
    if (!target.write(id, out)) out.append(bytes, from, to)
  }
}
