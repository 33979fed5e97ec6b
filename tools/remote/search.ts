// `svc-tools remote search`: sends a query to a running server.
import { anyObject, list, number, objectWith, open } from '../../format/schema/index.ts'
import { countText, shorten } from '../terminal/index.ts'
import { askInstance, type Instance } from './ask.ts'

export type SearchOptions = {
  readonly index: string
  readonly query: string
  readonly filter: string | null
  readonly sort: readonly string[] | null
  readonly attributes: readonly string[] | null
  readonly limit: number
}

type Hit = { readonly [member: string]: unknown }
export type SearchResult = {
  readonly hits: readonly Hit[]
  readonly processingTimeMs?: number
  readonly estimatedTotalHits?: number
}

const RESULT = open(
  objectWith<SearchResult>(
    { hits: list(anyObject) },
    { processingTimeMs: number, estimatedTotalHits: number },
  ),
)

/** Members of a hit shown by default. */
const MEMBERS_MAX = 6
const VALUE_CHARS_MAX = 70

/** @throws ToolError */
export function searchIndex(
  instance: Instance,
  { index, query, filter, sort, attributes, limit }: SearchOptions,
): Promise<SearchResult> {
  const body = {
    q: query,
    limit,
    ...(filter === null ? {} : { filter }),
    ...(sort === null ? {} : { sort }),
    ...(attributes === null ? {} : { attributesToRetrieve: attributes }),
  }
  const path = `/indexes/${encodeURIComponent(index)}/search`
  const request = { method: 'POST', path, body: JSON.stringify(body), action: 'search' } as const
  return askInstance(instance, request, RESULT)
}

export function searchText({ hits, processingTimeMs, estimatedTotalHits }: SearchResult): string {
  const found = countText(estimatedTotalHits ?? hits.length)
  const time = processingTimeMs === undefined ? '' : ` in ${processingTimeMs} ms`
  const head = `${found} found${time}, ${hits.length} shown\n`
  return head + hits.map((hit, i) => `\n${hitText(hit, i + 1)}`).join('')
}

function hitText(hit: Hit, number: number): string {
  const members = Object.entries(hit)
  const lines = members
    .slice(0, MEMBERS_MAX)
    .map(
      ([name, value]) =>
        `${shorten(name, VALUE_CHARS_MAX)}: ${shorten(valueText(value), VALUE_CHARS_MAX)}`,
    )
  const more = members.length - lines.length
  if (more > 0) lines.push(`and ${more} more members`)
  const indent = ' '.repeat(4)
  return lines.map((line, i) => `${i === 0 ? `${number}.`.padEnd(4) : indent}${line}\n`).join('')
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value)
