// The content of a demo: documents, the settings of their index, and searches that demonstrate
// features.
import type { Hit, SearchRequest } from './client.ts'

export type DemoSearch = {
  /** The feature that the search demonstrates. */
  readonly about: string
  readonly request: SearchRequest
  /** A field of the hits to show beside their names. */
  readonly detail?: string
}

export type DemoPlan = {
  readonly uid: string
  readonly primaryKey: string
  /** One line about the origin of the documents. */
  readonly origin: string
  readonly settings: object
  /** Documents as lines of NDJSON without line breaks; can be read once. */
  readonly lines: AsyncIterable<string>
  readonly searches: readonly DemoSearch[]
  /** Whether a search without hits is an error, of the demo or of the server. */
  readonly mustFind: boolean
  /** Returns the name of a hit in the table of results. */
  readonly nameOf: (hit: Hit) => string
}

/** Describes the search as in a search box with filters beside it. */
export function searchText({ q, filter, sort, distinct }: SearchRequest): string {
  const parts = [q ?? '']
  if (filter !== undefined) parts.push(`where ${filter}`)
  if (sort !== undefined) parts.push(`by ${sort.join(', ')}`)
  if (distinct !== undefined) parts.push(`one a ${distinct}`)
  return parts.filter((part) => part !== '').join(' · ') || '(everything)'
}
