// Foreign keys in searches over the network. The documents that they name may be on any instance,
// so the instance that the client calls resolves the `_foreign` conditions of filters before the
// search, and puts documents into the hits after it. It applies the rights of its client: others
// receive ids, and the filter of the client's token.
import {
  type Engine,
  EngineFault,
  type ForeignCondition,
  type ForeignEndpoint,
  type ForeignRequest,
  type IndexSearch,
  type JsonBytes,
  type SearchContext,
} from '../../../engine/index.ts'
import { BRACKET, COMMA } from '../../../format/bytes/index.ts'
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { Members, skipSpace, skipString, skipValue } from '../../../format/json/index.ts'
import {
  anyObject,
  entry,
  isValid,
  list,
  object,
  type Schema,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import { parsedJson } from '../calls/index.ts'
import { fromAllOwners } from './all-owners.ts'
import type { NetworkCalls } from './network-calls.ts'

const PATH = '/network/foreign'
const NAME = '_foreign'

type Errors = { readonly [remote: string]: unknown }

/** A filter for all instances, and errors of instances that may have further documents. */
type Resolved = { readonly filter: unknown; readonly errors: Errors }

/** Returns whether searches of these indexes may reach others over foreign keys. */
export const reachesForeign = (
  engine: Engine,
  uids: readonly IndexUid[],
  { features }: Pick<SearchContext, 'features'>,
): boolean => features.foreignKeys && engine.queries.foreignUids(uids).length > 0

/** Replaces the `_foreign` conditions of a filter by ids. @throws EngineFault, ApiError */
export async function resolvedFilter(
  searches: NetworkCalls,
  indexUid: IndexUid,
  filter: unknown,
  endpoint: ForeignEndpoint,
  context: SearchContext,
): Promise<Resolved> {
  const { engine } = searches.parts
  if (!mentionsForeign(filter) || !reachesForeign(engine, [indexUid], context)) {
    return { filter, errors: {} }
  }
  const run = async (request: ForeignRequest): Promise<unknown> =>
    parsedJson(await engine.queries.foreign(indexUid, request, context))
  const { conditions } = (await run({ step: 'conditions', endpoint, filter })) as {
    readonly conditions: readonly ForeignCondition[]
  }
  const errors: { [remote: string]: unknown } = {}
  const ids = await Promise.all(
    conditions.map(async ({ condition, uids }) => {
      const each = uids.map(async (uid) => {
        const within = withinOf(uid, context)
        const found = await fromOwners(searches, uid, MATCHES, context, (shards) => {
          return { step: 'match', condition, within, shards }
        })
        Object.assign(errors, found.errors)
        return found.values.flatMap((value) => value.ids)
      })
      // Without a leader, instances may have the same documents.
      return [...new Set((await Promise.all(each)).flat())]
    }),
  )
  const { filter: resolved } = (await run({ step: 'filter', endpoint, filter, ids })) as Resolved
  return { filter: resolved, errors }
}

/** The same for the filters of several searches. */
export async function resolvedSearches<S extends IndexSearch>(
  network: NetworkCalls,
  searches: readonly S[],
  context: SearchContext,
): Promise<{ readonly searches: readonly S[]; readonly errors: Errors }> {
  const errors: { [remote: string]: unknown } = {}
  const resolved = searches.map(async (search): Promise<S> => {
    const { indexUid, request } = search
    const found = await resolvedFilter(network, indexUid, request.filter, 'search', context)
    Object.assign(errors, found.errors)
    return found.filter === request.filter
      ? search
      : { ...search, request: { ...request, filter: found.filter } }
  })
  return { searches: await Promise.all(resolved), errors }
}

/** Puts documents into the hits of an answer, and errors into its `remoteErrors`. */
export async function hydrated(
  searches: NetworkCalls,
  answer: JsonBytes,
  uids: readonly IndexUid[],
  known: Errors,
  context: SearchContext,
): Promise<JsonBytes> {
  const { engine } = searches.parts
  const foreign = engine.queries.foreignUids(uids)
  const hidden = foreign.filter((uid) => context.access?.(uid) === null)
  const hydration = { answer, indexUid: uids[0] ?? asIndexUid(''), hidden }
  const named = parsedJson(
    await engine.queries.hydrate(uids, { ...hydration, found: null }, context),
  ) as {
    readonly [uid: string]: readonly string[]
  }
  const errors: { [remote: string]: unknown } = { ...known }
  const found = Object.entries(named).map(async ([name, ids]) => {
    const uid = asIndexUid(name)
    const within = withinOf(uid, context)
    const each = await fromOwners(searches, uid, DOCUMENTS, context, (shards) => {
      return { step: 'documents', ids, within, shards }
    })
    Object.assign(errors, each.errors)
    return [uid, new Map(each.sent.flatMap(documentsIn))] as const
  })
  const documents = new Map(await Promise.all(found))
  return engine.queries.hydrate(uids, { ...hydration, found: { documents, errors } }, context)
}

/** @throws EngineFault index_not_found for an index that the client may not see */
function withinOf(uid: IndexUid, { access }: SearchContext): unknown {
  const seen = access === undefined ? { filter: null } : access(uid)
  if (seen !== null) return seen.filter
  throw new EngineFault('index_not_found', `Index \`${uid}\` not found.`)
}

function mentionsForeign(filter: unknown): boolean {
  if (filter === null || filter === undefined) return false
  if (filter instanceof Uint8Array)
    return Buffer.from(filter.buffer, filter.byteOffset, filter.length).includes(NAME)
  return JSON.stringify(filter).includes(NAME)
}

const MATCHES = object<{ readonly ids: readonly string[] }>({ ids: texts })
type Documents = { readonly documents: readonly (readonly [id: string, document: object])[] }
const DOCUMENTS = object<Documents>({ documents: list(entry([text, anyObject])) })

/** Returns the documents of a checked answer as they were sent, by id: parsing rounds numbers. */
export function documentsIn(sent: Uint8Array): [id: string, document: Uint8Array][] {
  // Replaces bytes that are not UTF-8, and copies shared memory.
  const bytes = Buffer.from(Buffer.from(sent).toString())
  const members = new Members()
  members.scan(bytes, skipSpace(bytes, 0))
  const found: [string, Uint8Array][] = []
  let at = skipSpace(bytes, members.valueStart[members.find(DOCUMENTS_NAME)]! + 1)
  while (bytes[at] === BRACKET) {
    const id = skipSpace(bytes, at + 1)
    const idEnd = skipString(bytes, id)
    const document = skipSpace(bytes, skipSpace(bytes, idEnd) + 1)
    const end = skipValue(bytes, document)
    found.push([JSON.parse(bytes.toString('utf8', id, idEnd)), bytes.subarray(document, end)])
    at = skipSpace(bytes, skipSpace(bytes, end) + 1)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return found
}

const DOCUMENTS_NAME = Buffer.from('documents')

/**
 * Runs a step on all owners of an index: this instance and others. `sent`: the bytes of the values.
 * @throws EngineFault, ApiError if none of them has the index
 */
function fromOwners<T>(
  searches: NetworkCalls,
  uid: IndexUid,
  schema: Schema<T>,
  context: SearchContext,
  request: (shards: readonly string[] | null) => ForeignRequest,
): Promise<{
  readonly values: readonly T[]
  readonly sent: readonly Uint8Array[]
  readonly errors: Errors
}> {
  const { engine } = searches.parts
  const toOwners = {
    own: (shards: readonly string[] | undefined) =>
      engine.queries.foreign(uid, request(shards ?? null), context),
    path: PATH,
    body: (shards: readonly string[] | null) => ({ indexUid: uid, ...request(shards) }),
  }
  return fromAllOwners(searches, toOwners, context, async (own, gathering) => {
    const mine = own === null ? [] : [parsedJson(own) as T]
    for (;;) {
      const { answers, errors } = gathering
      const values = answers.map(({ bytes }) => parsedJson(bytes))
      const bad = values.findIndex((value) => !isValid(schema, value))
      if (bad < 0) {
        const sent = [...(own === null ? [] : [own]), ...answers.map(({ bytes }) => bytes)]
        return { values: [...mine, ...(values as readonly T[])], sent, errors }
      }
      await gathering.refuse(answers[bad]!, badResponse())
    }
  })
}

const badResponse = (): ApiError =>
  new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as documents of a foreign index',
  )
