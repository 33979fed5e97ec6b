// Runs searches and prints them as a table with their times, followed by the facets they asked for.
import type { Meilisearch, SearchParams, SearchResponse } from 'meilisearch'
import { countText, shorten, type Terminal, table } from '../../tools/terminal/index.ts'
import type { DemoSearch } from './searches.table.ts'

const HITS_SHOWN = 3
const REPEATS = 5
const FACET_VALUES_SHOWN = 6
const BAR_CELLS = 30
const SEARCH_WIDTH = 32
/** Width of the table without the hits, and the least for them. */
const TABLE_WIDTH = 82
const HITS_WIDTH_MIN = 18

const LEGEND =
  'ms until the first answer; the median of five more; and inside the server, as it reports'

/** Returns the number of searches without hits. */
export async function showSearches(
  client: Meilisearch,
  uid: string,
  searches: readonly DemoSearch[],
  terminal: Terminal,
): Promise<number> {
  const hitsWidth = Math.max(HITS_WIDTH_MIN, terminal.columns - TABLE_WIDTH)
  const answers: (readonly [SearchParams, SearchResponse])[] = []
  const rows: string[][] = []
  for (const { about, request } of searches) {
    const { answer, firstMs, againMs } = await measured(client, uid, request)
    answers.push([request, answer])
    rows.push([
      about,
      shorten(searchText(request), SEARCH_WIDTH),
      firstMs.toFixed(1),
      againMs.toFixed(1),
      String(answer.processingTimeMs),
      countText(answer.estimatedTotalHits ?? 0),
      shorten(answer.hits.map(nameOf).join(', '), hitsWidth),
    ])
  }
  const right = (title: string) => ({ title, align: 'right' }) as const
  const columns = [
    { title: '' },
    { title: 'search' },
    right('first'),
    right('again'),
    right('inside'),
    right('found'),
    { title: 'best' },
  ]
  terminal.out(`${table(columns, rows)}  ${LEGEND}\n`)
  for (const [request, answer] of answers) showFacets(request, answer, terminal)
  return answers.filter(([, { hits }]) => hits.length === 0).length
}

/** Returns the first answer, and the times of this and the next requests, seen from here. */
async function measured(client: Meilisearch, uid: string, request: SearchParams) {
  const times: number[] = []
  const search = async (): Promise<SearchResponse> => {
    const begin = performance.now()
    const answer = await client.index(uid).search(null, { ...request, limit: HITS_SHOWN })
    times.push(performance.now() - begin)
    return answer
  }
  const answer = await search()
  for (let i = 0; i < REPEATS; i++) await search()
  const [firstMs = 0, ...again] = times
  return { answer, firstMs, againMs: again.sort((a, b) => a - b)[REPEATS >> 1]! }
}

/** Describes the search as in a search box with filters beside it. */
function searchText({ q, filter, sort }: SearchParams): string {
  const where = filter === undefined ? '' : `where ${filter}`
  const by = sort === undefined ? '' : `by ${sort.join(', ')}`
  return [q, where, by].filter(Boolean).join(' · ') || '(everything)'
}

/** Returns the title of a hit, or its first text if it has none. */
const nameOf = (hit: Readonly<Record<string, unknown>>): string =>
  String(
    hit['title'] ?? hit['name'] ?? Object.values(hit).find((value) => typeof value === 'string'),
  )

function showFacets(
  request: SearchParams,
  { facetDistribution }: SearchResponse,
  terminal: Terminal,
): void {
  if (facetDistribution === undefined) return
  terminal.out(`\nFacets of ${searchText(request)}\n`)
  for (const [name, distribution] of Object.entries(facetDistribution)) {
    const values = Object.entries(distribution).sort((a, b) => b[1] - a[1])
    const most = values[0]?.[1] ?? 0
    const bar = (count: number): string => '█'.repeat(Math.ceil((count / most) * BAR_CELLS))
    const rows = values
      .slice(0, FACET_VALUES_SHOWN)
      .map(([value, count]) => [value, countText(count), bar(count)])
    const columns = [{ title: name }, { title: 'found', align: 'right' } as const, { title: '' }]
    terminal.out(table(columns, rows))
    if (values.length > rows.length) terminal.out(`  and ${values.length - rows.length} more\n`)
  }
}
