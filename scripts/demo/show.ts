// Runs the searches of a plan and prints them as a table, followed by facets if requested.
import type { Client, Hit, SearchAnswer } from './client.ts'
import { type DemoPlan, type DemoSearch, searchText } from './plan.ts'
import {
  bar,
  type Column,
  cut,
  grouped,
  milliseconds,
  padded,
  type Terminal,
  tableLines,
  textWidth,
} from './terminal.ts'

const HITS_SHOWN = 3
const REPEATS = 5
const FACET_VALUES_SHOWN = 6
const BAR_CELLS = 30
const FACET_COLUMNS_MAX = 24
/** From this width on there is room for a description of each search. */
const SPACIOUS_COLUMNS = 120

const LEGEND =
  'ms · first: until the first answer · again: median of five more · inside: what the server says'

type Shown = {
  readonly search: DemoSearch
  readonly answer: SearchAnswer
  readonly found: number
  readonly firstMs: number
  readonly againMs: number
}

/** Returns the number of searches without hits. */
export async function showSearches(
  client: Client,
  plan: DemoPlan,
  terminal: Terminal,
): Promise<number> {
  const shown: Shown[] = []
  for (const search of plan.searches) {
    terminal.progress(`  searching: ${searchText(search.request)}`)
    shown.push(await measured(client, plan.uid, search))
  }
  const spacious = terminal.columns >= SPACIOUS_COLUMNS
  const columns: Column[] = [
    ...(spacious ? [{ title: '', align: 'left' } as const] : []),
    { title: 'search', align: 'left' },
    { title: 'first', align: 'right' },
    { title: 'again', align: 'right' },
    { title: 'inside', align: 'right' },
    { title: 'found', align: 'right' },
    { title: 'best three', align: 'left' },
  ]
  const searchWidth = Math.max(20, terminal.columns - (spacious ? 116 : 84))
  const rows = shown.map(({ search, answer, found, firstMs, againMs }) => [
    ...(spacious ? [search.about] : []),
    cut(searchText(search.request), searchWidth),
    milliseconds(firstMs),
    milliseconds(againMs),
    String(answer.processingTimeMs),
    grouped(found),
    answer.hits
      .slice(0, HITS_SHOWN)
      .map((hit) => hitText(hit, search, plan))
      .join(', '),
  ])
  for (const line of tableLines(columns, rows, terminal)) terminal.line(line)
  terminal.line(terminal.palette.dim(LEGEND))
  for (const one of shown) showFacets(one, terminal)
  return shown.filter(({ found }) => found === 0).length
}

function hitText(hit: Hit, { detail }: DemoSearch, { nameOf }: DemoPlan): string {
  const more = detail === undefined ? undefined : hit[detail]
  return more === undefined || more === null ? nameOf(hit) : `${nameOf(hit)} (${more})`
}

/** Returns the first answer, and the client-side times of this and the next requests. */
async function measured(client: Client, uid: string, search: DemoSearch): Promise<Shown> {
  const times: number[] = []
  let first: SearchAnswer | null = null
  for (let i = 0; i <= REPEATS; i++) {
    const before = performance.now()
    const answer = await client.search(uid, { ...search.request, limit: HITS_SHOWN })
    times.push(performance.now() - before)
    first ??= answer
  }
  const answer = first!
  const again = times.slice(1).sort((a, b) => a - b)
  const found = answer.totalHits ?? answer.estimatedTotalHits ?? answer.hits.length
  return { search, answer, found, firstMs: times[0]!, againMs: again[again.length >> 1]! }
}

function showFacets({ search, answer }: Shown, terminal: Terminal): void {
  const facets = Object.entries(answer.facetDistribution ?? {}).map(([name, distribution]) => {
    const values = Object.entries(distribution).sort((a, b) => b[1] - a[1])
    return {
      name,
      kept: values.slice(0, FACET_VALUES_SHOWN),
      left: values.length - FACET_VALUES_SHOWN,
    }
  })
  if (facets.length === 0) return
  const { accent, bold, dim } = terminal.palette
  const labels = facets.flatMap(({ kept }) => kept.map(([value]) => textWidth(value)))
  const width = Math.max(8, Math.min(FACET_COLUMNS_MAX, Math.max(0, ...labels)))
  const nameWidth = Math.max(...facets.map(({ name }) => textWidth(name)))
  terminal.line('')
  terminal.line(bold(`Facets of ${searchText(search.request)}`))
  for (const { name, kept, left } of facets) {
    const most = kept[0]?.[1] ?? 0
    kept.forEach(([value, count], i) => {
      const head = padded(i === 0 ? name : '', nameWidth)
      const label = padded(cut(value, width), width)
      const line = bar(count, most, BAR_CELLS)
      terminal.line(`  ${dim(head)}  ${label} ${grouped(count).padStart(8)} ${accent(line)}`)
    })
    if (left > 0) terminal.line(dim(`  ${padded('', nameWidth)}  and ${left} more`))
  }
}
