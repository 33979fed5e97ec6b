// Compares the vectors of an index with the manifest: their number, the number of their documents,
// and whether these are stored.
import { documentsLayer, type IndexState } from '../../engine/inspect.ts'
import { IdSet } from '../../format/idset/index.ts'
import { VECTORS_KIND, VectorsReader } from '../../format/vectors/index.ts'
import { type Finding, findingAbout } from '../inspect/index.ts'
import { countOf, countText } from '../terminal/index.ts'
import type { SegmentFacts } from './check-segment.ts'

/** All segments of the index must be sound. */
export function compareVectorCounts(
  where: string,
  index: IndexState,
  facts: readonly SegmentFacts[],
  problems: Finding[],
): void {
  const stored = facts
    .filter(({ state }) => state.layer === documentsLayer.name)
    .reduce((all, { ids, state }) => all.or(ids.andNot(state.dead)), IdSet.empty)
  const found = { vectors: 0, documents: 0 }
  const report = (words: string): unknown =>
    problems.push(findingAbout(where, 'contradiction', words))
  for (const { ids, state, frame } of facts) {
    if (frame.kind !== VECTORS_KIND) continue
    const live = ids.andNot(state.dead)
    const lost = live.andNot(stored)
    if (!lost.isEmpty) {
      const whose = `${countOf(lost.size, 'document')} that ${lost.size === 1 ? 'is' : 'are'}`
      report(`segment ${state.segment} has vectors of ${whose} not stored`)
    }
    countRows(VectorsReader.open(frame), live, found)
  }
  const stated = index.vectorCounts
  if (found.vectors === stated.vectors && found.documents === stated.documents) return
  const counts = ({ vectors, documents }: typeof stated): string =>
    `${countText(vectors)} of ${countOf(documents, 'document')}`
  report(
    `the number of vectors differs from the manifest: ${counts(found)} instead of ${counts(stated)}`,
  )
}

function countRows(
  reader: VectorsReader,
  live: IdSet,
  found: { vectors: number; documents: number },
): void {
  const places = reader.ids.toArray()
  const rows = new Uint32Array(places.length)
  for (const { starts } of reader.embedders) {
    for (let place = 0; place < rows.length; place++) {
      rows[place]! += starts[place + 1]! - starts[place]!
    }
  }
  places.forEach((id, place) => {
    if (rows[place] === 0 || !live.has(id)) return
    found.vectors += rows[place]!
    found.documents++
  })
}
