// Foreign keys in a network: filters and hits refer to documents that other instances hold. The
// instance that a client calls asks all owners for them, and puts the answers into the filter
// before the search, and into the hits after it.
import { BRACE, BRACKET, BRACKET_END, COMMA, decoder, KiB } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { type JsonBuffer, Members, skipValue } from '../../../format/json/index.ts'
import type { Features, ForeignCondition, ForeignRequest, Hydration } from '../../model/index.ts'
import { answerBuffer, MemberWriter, writeText } from '../answers/index.ts'
import { resolveForeign } from '../filter/index.ts'
import { FOREIGN_DOCUMENTS_MAX, filterWording, rewrite } from '../filter-syntax/index.ts'
import type { SearchableView, Watch } from '../jobs/index.ts'
import {
  controlOf,
  ForeignIndexes,
  type ForeignTarget,
  filtered,
  Hydrator,
  ofShards,
  readFilter,
  Target,
} from '../retrieval/index.ts'
import type { MergedIndex } from './run-instances.ts'

/** Answers one step about an index. @throws EngineFault, StorageError, Canceled */
export function runForeign(
  view: SearchableView,
  request: ForeignRequest,
  features: Features,
  watch: Watch,
): Uint8Array {
  switch (request.step) {
    case 'conditions':
    case 'filter':
      return Buffer.from(JSON.stringify(filterStep(view, request, features, watch)))
    case 'match': {
      const { uid } = view.ref
      const control = controlOf(view, watch)
      const tree = readFilter(request.condition, 'foreign', uid, features, control)
      const found = filtered(view, tree, 'foreign', control).and(visible(view, request, features))
      const ids = [...found.first(FOREIGN_DOCUMENTS_MAX + 1)].flatMap((id) => {
        const externalId = view.view.externalId(id)
        return externalId === null ? [] : [decoder.decode(externalId)]
      })
      return Buffer.from(JSON.stringify({ ids }))
    }
    case 'documents':
      return documentsStep(view, request, features)
  }
}

type FilterRequest = Extract<ForeignRequest, { readonly filter: unknown }>

function filterStep(
  view: SearchableView,
  request: FilterRequest,
  features: Features,
  watch: Watch,
): object {
  const { uid } = view.ref
  const { endpoint } = request
  const control = controlOf(view, watch)
  const tree = readFilter(request.filter, endpoint, uid, features, control)
  if (tree === null) return { conditions: [], filter: null }
  const conditions: ForeignCondition[] = []
  const uidsOf = (field: string): readonly IndexUid[] =>
    view.settings.foreignKeys.flatMap(({ fieldName, foreignIndexUid }) =>
      fieldName === field ? [foreignIndexUid] : [],
    )
  const resolved = resolveForeign(tree, {
    wording: filterWording(endpoint, 'running', uid),
    checkpoint: () => undefined,
    foreign: {
      isForeignKey: (field) => uidsOf(field).length > 0,
      match: (field, condition) => {
        const at = conditions.push({
          condition: rewrite(condition, null).text,
          uids: uidsOf(field),
        })
        return request.step === 'filter' ? (request.ids[at - 1] ?? []) : []
      },
    },
  })
  return request.step === 'filter' ? { filter: rewrite(resolved, null).text } : { conditions }
}

type Within = Extract<ForeignRequest, { readonly within: unknown }>

/** Returns the requested shards' documents that the caller may see. */
function visible(view: SearchableView, { within, shards }: Within, features: Features): IdSet {
  const access = { uid: view.ref.uid, isHidden: false, filter: within }
  const seen = new ForeignIndexes([view], [access], features).seen(view)
  return shards === null ? seen : ofShards(view, shards, seen)
}

function documentsStep(
  view: SearchableView,
  request: Extract<ForeignRequest, { readonly step: 'documents' }>,
  features: Features,
): Uint8Array {
  const target = new Target(view, visible(view, request, features))
  const out = answerBuffer(16 * KiB)
  const members = new MemberWriter(out)
  members.begin('documents').byte(BRACKET)
  let count = 0
  for (const id of request.ids) {
    const externalId = Buffer.from(id)
    if (!target.has(externalId)) continue
    if (count++ > 0) out.byte(COMMA)
    out.byte(BRACKET)
    writeText(out, id)
    out.byte(COMMA)
    target.write(externalId, out)
    out.byte(BRACKET_END)
  }
  out.byte(BRACKET_END)
  members.end()
  return out.take()
}

/** Returns the ids in an answer, or the answer with their documents: see `Hydration`. */
export function runHydration(
  indexes: readonly MergedIndex[],
  { answer, indexUid, hidden, found }: Hydration,
): Uint8Array {
  const ids = new Map<IndexUid, Set<string>>()
  const hydrators = new Map<IndexUid, Hydrator | null>()
  const hydratorOf = (uid: IndexUid): Hydrator | null => {
    const known = hydrators.get(uid)
    if (known !== undefined) return known
    const keys = indexes.find(({ ref }) => ref.uid === uid)?.settings.foreignKeys ?? []
    const shown = keys.filter(({ foreignIndexUid }) => !hidden.includes(foreignIndexUid))
    const targets = shown.map(({ fieldName, foreignIndexUid }): [string, ForeignTarget] => {
      const documents = found?.documents.get(foreignIndexUid)
      const isWhole = found !== null && Object.keys(found.errors).length === 0
      return [
        fieldName,
        found === null
          ? collecting(ids, foreignIndexUid)
          : fetched(documents ?? new Map(), isWhole),
      ]
    })
    // The first key of a field counts, as on one instance.
    const hydrator = targets.length === 0 ? null : new Hydrator(new Map(targets.reverse()))
    hydrators.set(uid, hydrator)
    return hydrator
  }
  const out = answerBuffer(answer.length + 16 * KiB)
  const members = new Members()
  members.scan(answer, 0)
  const written = new MemberWriter(out)
  for (let i = 0; i < members.count; i++) {
    const name = decoder.decode(members.key(i))
    const from = members.valueStart[i]!
    const to = members.valueEnd[i]!
    if (name === 'hits') writeHits(answer, from, indexUid, hydratorOf, written.begin(name))
    else if (name === 'remoteErrors' && found !== null) {
      const known = JSON.parse(decoder.decode(answer.subarray(from, to))) as object
      written.value(name, { ...known, ...found.errors })
    } else written.begin(name).append(answer, from, to)
  }
  written.end()
  if (found !== null) return out.take()
  const named = [...ids].map(([uid, some]) => [uid, [...some]])
  return Buffer.from(JSON.stringify(Object.fromEntries(named)))
}

const collecting = (ids: Map<IndexUid, Set<string>>, uid: IndexUid): ForeignTarget => ({
  write: (externalId) => {
    const known = ids.get(uid) ?? new Set()
    ids.set(uid, known.add(decoder.decode(externalId)))
    return false
  },
})

/** `isWhole`: an id without a document names no document. */
const fetched = (documents: ReadonlyMap<string, Uint8Array>, isWhole: boolean): ForeignTarget => ({
  write: (externalId, out) => {
    const document = documents.get(decoder.decode(externalId))
    if (document === undefined && !isWhole) return false
    if (document === undefined) out.ascii('{}')
    else out.append(document, 0, document.length)
    return true
  },
})

const FEDERATION = Buffer.from('_federation')
const INDEX_UID = Buffer.from('indexUid')

function writeHits(
  bytes: Uint8Array,
  from: number,
  indexUid: IndexUid,
  hydratorOf: (uid: IndexUid) => Hydrator | null,
  out: JsonBuffer,
): void {
  out.byte(BRACKET)
  let next = from + 1
  for (let i = 0; bytes[next] === BRACE; i++) {
    if (i > 0) out.byte(COMMA)
    const end = skipValue(bytes, next)
    const hydrator = hydratorOf(indexOf(bytes, next) ?? indexUid)
    if (hydrator === null) out.append(bytes, next, end)
    else hydrator.hit(bytes, next, out)
    next = bytes[end] === COMMA ? end + 1 : end
  }
  out.byte(BRACKET_END)
}

/** Returns the index that a hit names, or null. */
function indexOf(bytes: Uint8Array, at: number): IndexUid | null {
  const hit = new Members()
  hit.scan(bytes, at)
  const i = hit.find(FEDERATION)
  if (i < 0) return null
  const from = hit.valueStart[i]!
  const origin = new Members()
  origin.scan(bytes, from)
  const of = origin.find(INDEX_UID)
  if (of < 0) return null
  const text = bytes.subarray(origin.valueStart[of]!, origin.valueEnd[of]!)
  return JSON.parse(decoder.decode(text)) as IndexUid
}
