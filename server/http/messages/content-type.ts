// Which bodies a route accepts, by their Content-Type. JSON routes check type and suffix and quote
// the header as it was sent; document routes accept three types, no suffix, and quote type and
// subtype.
import { decoder } from '../../../format/bytes/index.ts'
import { ApiError } from '../../errors/index.ts'

export type DocumentType = 'application/json' | 'application/x-ndjson' | 'text/csv'

const DOCUMENT_TYPES: readonly DocumentType[] = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
]
const JSON_TYPES = ['application/json'] as const

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PARAMETER = `;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?`
const MEDIA_TYPE = new RegExp(`^(${TOKEN})/(${TOKEN})(?:${PARAMETER})*$`)
/** A longer header is not a media type; the limit bounds the work of the pattern. */
const MEDIA_TYPE_LENGTH_MAX = 1024

/** Refuses all types except JSON. @throws ApiError */
export function requireJson(header: string | undefined): void {
  if (header === 'application/json') return
  if (header === undefined) throw missing(JSON_TYPES)
  const media = mediaType(header)
  if (media === null) throw invalid(header, JSON_TYPES)
  const isJson = media.essence === 'application/json' || media.suffix === 'json'
  if (!isJson) throw invalid(header, JSON_TYPES)
}

/** Returns the type of a body of documents. @throws ApiError */
export function documentType(header: string | undefined): DocumentType {
  if (header === undefined) throw missing(DOCUMENT_TYPES)
  const media = mediaType(header)
  if (media === null) throw invalid(header, DOCUMENT_TYPES)
  const known = DOCUMENT_TYPES.find((type) => type === media.essence)
  if (known === undefined || media.suffix !== '') throw invalid(media.essence, DOCUMENT_TYPES)
  return known
}

/** `type/subtype` without the suffix, in lower case. */
type MediaType = { readonly essence: string; readonly suffix: string }

function mediaType(header: string): MediaType | null {
  if (header.length > MEDIA_TYPE_LENGTH_MAX) return null
  const match = MEDIA_TYPE.exec(header)
  if (match === null) return null
  const type = match[1]!.toLowerCase()
  const subtype = match[2]!.toLowerCase()
  const plus = subtype.lastIndexOf('+')
  if (plus < 0) return { essence: `${type}/${subtype}`, suffix: '' }
  return { essence: `${type}/${subtype.slice(0, plus)}`, suffix: subtype.slice(plus + 1) }
}

const accepted = (types: readonly string[]): string =>
  `Accepted values for the Content-Type header are: \`${types.join('`, `')}\``

const missing = (types: readonly string[]): ApiError =>
  new ApiError('missing_content_type', `A Content-Type header is missing. ${accepted(types)}`)

/** Node reads headers as Latin-1; quoted text is meant as UTF-8. */
const invalid = (found: string, types: readonly string[]): ApiError => {
  const quoted = decoder.decode(Buffer.from(found, 'latin1'))
  return new ApiError(
    'invalid_content_type',
    `The Content-Type \`${quoted}\` is invalid. ${accepted(types)}`,
  )
}
