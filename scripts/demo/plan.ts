// What a demo shows: documents, the settings of their index, and searches chosen to say something
// about them.
import type { Hit, SearchRequest } from './client.ts'

export type DemoSearch = {
  /** What the search demonstrates. */
  readonly about: string
  readonly request: SearchRequest
  /** A field of the hits worth showing beside their names. */
  readonly detail?: string
}

export type DemoPlan = {
  readonly uid: string
  readonly primaryKey: string
  /** One line about where the documents come from. */
  readonly origin: string
  readonly settings: object
  /** Documents as lines of NDJSON without line breaks; may be read once. */
  readonly lines: AsyncIterable<string>
  readonly searches: readonly DemoSearch[]
  /** Whether a search that finds nothing is a mistake, of the demo's or of the server's. */
  readonly mustFind: boolean
  /** What a hit is called in the table of results. */
  readonly nameOf: (hit: Hit) => string
}

/** The search in words, as in a search box with what stands beside it. */
export function searchText({ q, filter, sort, distinct }: SearchRequest): string {
  const parts = [q ?? '']
  if (filter !== undefined) parts.push(`where ${filter}`)
  if (sort !== undefined) parts.push(`by ${sort.join(', ')}`)
  if (distinct !== undefined) parts.push(`one a ${distinct}`)
  return parts.filter((part) => part !== '').join(' · ') || '(everything)'
}
