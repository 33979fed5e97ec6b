// The result of `svc-tools relevance` as text: means of each variant, then the queries that changed
// most, or the weakest ones of a single variant.
import { countOf, shorten, table } from '../terminal/index.ts'
import { gainOf, type QueryResult, type RelevanceResult } from './measure.ts'

const QUERY_CHARS_MAX = 48
const VARIANT_CHARS_MAX = 90
const NAMES = ['A', 'B'] as const

/** `shown`: queries in each list. */
export function relevanceText(result: RelevanceResult, shown: number): string {
  const { variants, queries, omitted } = result
  const judged = queries.reduce((sum, { relevant }) => sum + relevant, 0)
  const left = omitted.length === 0 ? '' : `; ${omitted.length} without one are left out`
  const head =
    `${countOf(queries.length, 'query', 'queries')} with ` +
    `${countOf(judged, 'relevant document')}${left}\n\n`
  const names = variants.map(({ index, search }, i) => {
    const words = JSON.stringify(search)
    const line = `${index}${words === '{}' ? '' : ` ${words}`}`
    return `${variants.length === 1 ? '' : `${NAMES[i]}: `}${shorten(line, VARIANT_CHARS_MAX)}\n`
  })
  const lists = variants.length === 1 ? weakest(queries, shown) : changes(result, shown)
  return `${head}${names.join('')}\n${means(result)}\n${lists}`
}

function means({ variants, k, depth }: RelevanceResult): string {
  const isPair = variants.length > 1
  const row = (title: string, values: readonly number[]): readonly string[] => [
    title,
    ...values.map(scoreText),
    ...(isPair ? [changeText(values[1]! - values[0]!)] : []),
  ]
  const without = variants.map(({ withoutHits }) => withoutHits)
  const counts = isPair ? [...without, without[1]! - without[0]!] : without
  const columns = isPair ? [...NAMES, 'B − A'] : ['']
  return table(
    [{ title: '' }, ...columns.map((title) => ({ title, align: 'right' as const }))],
    [
      row(
        `nDCG@${k}`,
        variants.map(({ ndcg }) => ndcg),
      ),
      row(
        `recall@${depth}`,
        variants.map(({ recall }) => recall),
      ),
      row(
        `MRR@${k}`,
        variants.map(({ mrr }) => mrr),
      ),
      ['queries without hits', ...counts.map((count) => String(count).replace('-', '−'))],
    ],
  )
}

function changes({ queries, won, lost, k }: RelevanceResult, shown: number): string {
  const equal = queries.length - won.length - lost.length
  const counts = `By nDCG@${k}, B wins ${won.length}, loses ${lost.length}, and ${equal} are equal.\n`
  const byId = new Map(queries.map((query) => [query.id, query]))
  const listed = (title: string, ids: readonly string[]): string => {
    const rows = ids.slice(0, shown).map((id) => changeRow(byId.get(id)!))
    const columns = [
      { title },
      ...[...NAMES, 'B − A'].map((name) => ({ title: name, align: 'right' as const })),
      { title: 'query' },
    ]
    return rows.length === 0 ? '' : `\n${table(columns, rows)}${moreText(ids.length - rows.length)}`
  }
  return `${counts}${listed('won', won)}${listed('lost', lost)}`
}

const changeRow = (query: QueryResult): readonly string[] => [
  query.id,
  ...query.scores.map(({ ndcg }) => scoreText(ndcg)),
  changeText(gainOf(query)),
  shorten(query.q, QUERY_CHARS_MAX),
]

function weakest(queries: readonly QueryResult[], shown: number): string {
  const byScore = queries.toSorted((a, b) => a.scores[0]!.ndcg - b.scores[0]!.ndcg)
  const rows = byScore
    .filter(({ scores }) => scores[0]!.ndcg < 1)
    .slice(0, shown)
    .map(({ id, q, scores, missing }) => [
      id,
      scoreText(scores[0]!.ndcg),
      shorten(q, QUERY_CHARS_MAX),
      missing.join(', '),
    ])
  const columns = [
    { title: 'weakest' },
    { title: 'nDCG' },
    { title: 'query' },
    { title: 'not shown' },
  ]
  return table(columns, rows)
}

const moreText = (count: number): string => (count > 0 ? `  and ${count} more\n` : '')

/** `.4312`, `1.000` */
const scoreText = (score: number): string => score.toFixed(4).replace(/^0/, '').slice(0, 5)

const changeText = (change: number): string => {
  const text = scoreText(Math.abs(change))
  if (Number(text) === 0) return text
  return `${change < 0 ? '−' : '+'}${text}`
}
