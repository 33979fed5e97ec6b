// Requests about documents: fetching, adding, deleting.

import type { DocumentsRequest } from '../../engine/index.ts'
import { BRACE, BRACKET } from '../../format/bytes/index.ts'
import { faultText, JsonScanner, kindText } from '../../format/json/index.ts'
import * as json from '../../format/schema/index.ts'
import { ApiError } from '../errors/index.ts'
import { MIN_TASK_MEMBERS, MIN_TASK_PARAMETERS, type MinTask } from './min-task.ts'
import {
  anything,
  compactText,
  count,
  exactBody,
  exactly,
  externalIdOf,
  externalIdProblem,
  filterOf,
  finishedBody,
  finishedQuery,
  flag,
  isJsonArray,
  isJsonObject,
  type Json,
  list,
  malformed,
  member,
  misread,
  nullable,
  nullFilter,
  object,
  PAGE_LIMIT_DEFAULT,
  type ParameterReader,
  parameter,
  plain,
  type QueryReader,
  query,
  rawCount,
  rawFlag,
  rawSort,
  rawText,
  rawTexts,
  required,
  type Schema,
  searchFilter,
  text,
  texts,
  ValidationError,
  type WholeBody,
  withSchema,
} from './schema/index.ts'

/**
 * A request as it was read; `documentsRequest` checks its ids, after the name of the index was
 * checked.
 */
export type DocumentsQuery = DocumentsRequest & {
  /** The problem with the first invalid id, or null. */
  readonly idProblem: string | null
  readonly useNetwork: boolean | null
  /** The text of the parameter in a query string; absent if it was not sent. */
  readonly useNetworkText?: string | null
}

type SentDocuments = Omit<
  DocumentsQuery,
  'ids' | 'idProblem' | 'useNetworkText' | 'shards' | 'merger'
> & {
  readonly ids: readonly Json[] | null
}

const documents = object<SentDocuments, MinTask>(
  {
    offset: member(count, 'invalid_document_offset', 0),
    limit: member(count, 'invalid_document_limit', PAGE_LIMIT_DEFAULT),
    fields: member(nullable(texts), 'invalid_document_fields', null),
    retrieveVectors: member(flag, 'invalid_document_retrieve_vectors', false),
    ids: member(nullable(list(exactly)), 'invalid_document_ids', null),
    filter: member(searchFilter, 'invalid_document_filter', null),
    sort: member(nullable(texts), 'invalid_document_sort', null),
    useNetwork: member(nullable(flag), 'invalid_document_use_network', null),
  },
  { aside: MIN_TASK_MEMBERS },
)

/** Reads the body of `documents/fetch`. @throws ApiError */
export const readDocumentsFetch: WholeBody<DocumentsQuery & Partial<MinTask>> = finishedBody(
  documents,
  (request) => ({
    ...request,
    ...externalIds(request.ids),
  }),
)

/** In a query string a star stands for every field; in a body it is an ordinary name. */
const rawFields: ParameterReader<readonly string[] | null> = (raw) => {
  const names = rawTexts(raw)
  return names.includes('*') ? null : names
}

withSchema(rawFields, () => json.texts)

type FlatDocuments = Omit<SentDocuments, 'ids' | 'filter' | 'useNetwork'> & {
  readonly useNetwork: string | null
  readonly ids: readonly string[] | null
  readonly filter: string | null
}

const documentsQuery = query<FlatDocuments, MinTask>(
  {
    offset: parameter(rawCount, 'invalid_document_offset', 0),
    limit: parameter(rawCount, 'invalid_document_limit', PAGE_LIMIT_DEFAULT),
    fields: parameter(rawFields, 'invalid_document_fields', null),
    retrieveVectors: parameter(rawFlag, 'invalid_document_retrieve_vectors', false),
    ids: parameter(rawTexts, 'invalid_document_ids', null),
    filter: parameter(rawText, 'invalid_document_filter', null),
    sort: parameter(rawSort, 'invalid_document_sort', null),
    useNetwork: parameter(rawText, 'invalid_document_use_network', null),
  },
  [],
  MIN_TASK_PARAMETERS,
)

/** Reads the query string of `GET documents`. @throws ApiError */
export const readDocumentsQuery: QueryReader<DocumentsQuery & Partial<MinTask>> = finishedQuery(
  documentsQuery,
  (flat) => {
    const filter = flat.filter === null ? null : filterOf(flat.filter, 'invalid_document_filter')
    const { useNetwork, ...rest } = flat
    return {
      ...rest,
      ...externalIds(flat.ids),
      filter,
      useNetwork: null,
      useNetworkText: useNetwork,
    }
  },
)

/** Returns the request for the engine. @throws ApiError if an id is invalid */
export function documentsRequest(request: DocumentsQuery): DocumentsRequest {
  const { offset, limit, fields, retrieveVectors, ids, filter, sort, idProblem } = request
  if (idProblem !== null) throw new ApiError('invalid_document_ids', idProblem)
  return { offset, limit, fields, retrieveVectors, ids, filter, sort }
}

/** Converts ids to strings, up to the first invalid one. */
function externalIds(sent: readonly Json[] | null): Pick<DocumentsQuery, 'ids' | 'idProblem'> {
  if (sent === null) return { ids: null, idProblem: null }
  const ids: string[] = []
  for (const id of sent) {
    const found = externalIdOf(id)
    if (found === null) {
      return { ids, idProblem: `In \`.ids[${ids.length}]\`: ${externalIdProblem(id)}` }
    }
    ids.push(found)
  }
  return { ids, idProblem: null }
}

export type DocumentQuery = {
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
  /** The unparsed text, which `networkFlag` reads. */
  readonly useNetwork: string | null
}

/** Reads the query string of one document. @throws ApiError */
export const readDocumentQuery = query<DocumentQuery, MinTask>(
  {
    fields: parameter(rawFields, 'invalid_document_fields', null),
    retrieveVectors: parameter(rawFlag, 'invalid_document_retrieve_vectors', false),
    useNetwork: parameter(rawText, 'invalid_document_use_network', null),
  },
  [],
  MIN_TASK_PARAMETERS,
)

/**
 * Reads `useNetwork` of a query string. Without a network, no value is accepted; the messages are
 * fixed by clients. @throws ApiError
 */
export function networkFlag(text: string | null, hasNetwork: boolean): boolean | null {
  if (text === null) return null
  if (hasNetwork && text === 'true') return true
  if (hasNetwork && text === 'false') return false
  const words =
    'Invalid value type for parameter `useNetwork`: expected a string, ' +
    `but found a string: \`${text}\``
  throw new ApiError('invalid_document_use_network', words)
}

export type AdditionQuery = {
  readonly primaryKey: string | null
  /** One character; `checkCsvDelimiter` checks it. */
  readonly csvDelimiter: string | null
  readonly customMetadata: string | null
  readonly skipCreation: boolean
}

const rawCharacter: ParameterReader<string> = (raw) => {
  const characters = Array.from(raw).length
  if (characters === 1) return raw
  const found =
    characters === 0
      ? 'an empty string'
      : `the following string of ${characters} characters: \`${raw}\``
  throw new ValidationError({
    kind: 'invalid',
    reason: `expected a string of one character, but found ${found}`,
  })
}

withSchema(rawCharacter, () => ({ type: 'string', minLength: 1, maxLength: 1 }))

const rawSkip: ParameterReader<boolean> = (raw) => {
  const word = raw.toLowerCase()
  if (word === 'true') return true
  if (word === 'false') return false
  const text = `skipCreation must be either \`true\` or \`false\`. Found: \`${raw}\``
  throw new ValidationError({ kind: 'sentence', text })
}

withSchema(rawSkip, () => json.flag)

/** Reads the query string of an upload. @throws ApiError */
export const readAdditionQuery = query<AdditionQuery>({
  primaryKey: parameter(rawText, 'invalid_index_primary_key', null),
  csvDelimiter: parameter<string | null>(rawCharacter, 'invalid_document_csv_delimiter', null),
  customMetadata: parameter(rawText, 'invalid_index_custom_metadata', null),
  skipCreation: parameter(rawSkip, 'invalid_skip_creation', false),
})

/**
 * Refuses a delimiter that is not an ASCII character, once the body is known to be CSV. @throws
 * ApiError
 */
export function checkCsvDelimiter(delimiter: string): void {
  if (delimiter.charCodeAt(0) < 0x80) return
  throw new ApiError(
    'invalid_document_csv_delimiter',
    `csv delimiter must be an ascii character. Found: \`${delimiter}\``,
  )
}

export type MetadataQuery = { readonly customMetadata: string | null }

/** Reads the query string of writes that have only this parameter. @throws ApiError */
export const readMetadataQuery = query<MetadataQuery>({
  customMetadata: parameter(rawText, 'invalid_index_custom_metadata', null),
})

const deletion: Schema<{ readonly filter: unknown }> = object<{ readonly filter: unknown }>({
  filter: required(anything, 'invalid_document_filter', 'missing_document_filter'),
})

/**
 * Reads the body of `documents/delete`; the engine checks the filter.
 * @throws ApiError
 */
export const readDeletion: WholeBody<{ readonly filter: unknown }> = finishedBody(
  deletion,
  (deletion) => {
    if (deletion.filter === null) throw nullFilter('invalid_document_filter')
    return deletion
  },
)

export type Edition = {
  readonly filter: unknown
  /** null, or a value that should be an object. */
  readonly context: unknown
  /** The JSON text of the context, if its numbers carry more information than `context`: `1.0`. */
  readonly contextText?: string
  readonly function: string
}

const edition: Schema<SentEdition> = object<SentEdition>({
  filter: member(anything, 'invalid_document_filter', null),
  context: member(exactly, 'invalid_document_edition_context', null),
  function: required(
    text,
    'invalid_document_edition_function_filter',
    'missing_document_edition_function',
  ),
})

/**
 * Reads the body of `documents/edit`; the engine checks the function and the filter.
 * @throws ApiError
 */
export const readEdition: WholeBody<Edition> = finishedBody(edition, (sent) => {
  const context = plain(sent.context)
  const contextText = compactText(sent.context)
  const isExact = contextText === JSON.stringify(context)
  return { ...sent, context, ...(isExact ? {} : { contextText }) }
})

type SentEdition = Omit<Edition, 'context' | 'contextText'> & { readonly context: Json }

/** @throws ApiError */
export function checkContext({ context }: Edition): void {
  if (context === null || isJsonObject(context as Json)) return
  throw new ApiError('invalid_document_edition_context', 'The context must be an object')
}

// The body of `documents/delete-batch` is the only one with special messages for faults of the schema:
// a value that is not an array is refused immediately, before the rest of the body is read.

/** Returns the ids: strings unchanged, other values as JSON text. @throws ApiError */
export function readDeleteBatch(body: Uint8Array): readonly string[] {
  const first = body.findIndex((byte) => byte > 0x20)
  if (first >= 0 && body[first] !== BRACKET) refuseOther(body, first)
  const ids = exactBody(body)
  // Only for the compiler: a text that begins with a bracket and is JSON is an array.
  if (!isJsonArray(ids)) return []
  return ids.map((id) => (typeof id === 'string' ? id : compactText(id)))
}

withSchema(readDeleteBatch, () => json.list(json.anything))

/** Refuses a body whose value, which begins at `first`, is not an array. */
const refuseOther = (body: Uint8Array, first: number): never => {
  const end = body[first] === BRACE ? first : firstValueEnd(body)
  const found = kindText(body, first, end)
  throw misread(body, `invalid type: ${found}, expected a sequence`, end)
}

/** Returns the end of the first value. @throws ApiError malformed_payload */
const firstValueEnd = (body: Uint8Array): number => {
  const scanner = new JsonScanner('value')
  scanner.feed(body)
  if (!scanner.next()) scanner.finish()
  if (scanner.fault !== null) throw malformed(faultText(scanner.fault))
  return scanner.documentEnd
}
