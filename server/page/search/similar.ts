// Lists the documents that are similar to a document, by the vectors of an embedder.
import {
  type Answer,
  ask,
  bar,
  fill,
  type Hit,
  h,
  indexPath,
  isAbort,
  markedPieces,
  ServerError,
} from '../parts/index.ts'
import { hitText } from './hit-text.ts'

const SIMILAR_HITS = 6

export type SimilarTo = {
  readonly index: string
  /** Primary key of the document. */
  readonly key: unknown
  readonly primaryKey: string | null
  readonly embedders: readonly string[]
  /** The embedder that searches use, or an empty text. */
  readonly embedder: string
  readonly signal: AbortSignal
  readonly open: (hit: Hit) => void
}

/**
 * Returns a section with a button for each embedder; pressing it requests the similar documents.
 */
export function similarSection(to: SimilarTo): HTMLElement {
  const list = h('ul', { class: 'similar' })
  const show = (embedder: string): void => {
    read(to, embedder).then(
      (hits) => fill(list, hits.length === 0 ? h('li', { class: 'muted' }, 'None.') : hits),
      (error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        fill(list, h('li', { class: 'refusal' }, error.message))
      },
    )
  }
  const first = to.embedders.includes(to.embedder) ? [to.embedder] : []
  const names = [...new Set([...first, ...to.embedders])]
  const buttons = names.map((name) =>
    h(
      'button',
      { class: 'quiet small', type: 'button', onclick: () => show(name) },
      names.length === 1 ? 'Show' : `By ${name}`,
    ),
  )
  return h('section', {}, h('h3', {}, 'Similar documents', h('span', {}, buttons)), list)
}

async function read(
  { index, key, primaryKey, signal, open }: SimilarTo,
  embedder: string,
): Promise<readonly HTMLElement[]> {
  const body = { id: key, embedder, limit: SIMILAR_HITS, showRankingScore: true }
  const { hits } = await ask<Answer>('POST', indexPath(index, '/similar'), body, signal)
  return hits.map((hit) => {
    const heading = hitText(hit, primaryKey).heading?.text ?? ''
    const score = Number(hit['_rankingScore'] ?? 0)
    return h(
      'li',
      {},
      h(
        'button',
        { class: 'link', type: 'button', onclick: () => open(hit) },
        markedPieces(heading).join('') || 'Document',
      ),
      bar(score, `similarity ${score.toFixed(2)}`),
    )
  })
}
