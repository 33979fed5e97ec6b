// Checks one index: its segments one by one, then against each other, its counts and its settings.

import { decodeSettings, type FileSystem, type IndexSettings } from '../../engine/index.ts'
import { documentsLayer, type IndexState, PROFILES } from '../../engine/inspect.ts'
import type { SegmentNo } from '../../format/ids.ts'
import { IdSet } from '../../format/idset/index.ts'
import type { Layer } from '../../format/manifest/index.ts'
import { type Finding, findingAbout, findingOf } from '../inspect/index.ts'
import { countOf, countText } from '../terminal/index.ts'
import { checkSegment, type SegmentFacts } from './check-segment.ts'
import { LiveDocuments } from './live-documents.ts'
import type { FileReport, IndexReport } from './result.ts'
import { compareVectorCounts } from './vector-counts.ts'

/** Findings of one kind that are listed individually. */
const NAMED_MAX = 5

export type IndexJob = {
  readonly fs: FileSystem
  readonly manifest: string
  readonly index: IndexState
  /** Called with a segment and the number of its bytes that are done. */
  readonly step: (segment: SegmentNo, bytesDone: number) => void
}

export type IndexCheck = { readonly report: IndexReport; readonly notes: readonly string[] }

/** Never throws for faults of the index. */
export function checkIndex({ fs, manifest, index, step }: IndexJob): IndexCheck {
  const where = `index ${index.uid}`
  const problems: Finding[] = []
  const live = new LiveDocuments(index, settingsOf(where, index, problems))
  const segments: FileReport[] = []
  const facts: SegmentFacts[] = []
  for (const state of [...index.segments.values()].sort((a, b) => a.segment - b.segment)) {
    const job = { fs, manifest, index, state, live, step: stepOf(step, state.segment) }
    const { report, facts: segmentFacts } = checkSegment(job)
    segments.push(report)
    if (segmentFacts !== null) facts.push(segmentFacts)
  }
  let documents: number | null = null
  if (facts.length === segments.length) {
    documents = compareLayers(where, facts, live, problems)
    compareCounts(where, index, live, problems)
    compareVectorCounts(where, index, facts, problems)
    checkExternalIds(where, facts, live, problems)
  }
  const isPartial = facts.length < segments.length
  const notes = isPartial
    ? [`${where}: layers and counts were not compared, because a segment is damaged`]
    : []
  return { report: { index: index.index, uid: index.uid, documents, segments, problems }, notes }
}

const stepOf =
  (step: IndexJob['step'], segment: SegmentNo) =>
  (bytesDone: number): void =>
    step(segment, bytesDone)

function settingsOf(where: string, index: IndexState, problems: Finding[]): IndexSettings | null {
  try {
    return decodeSettings(index.settings)
  } catch (error) {
    problems.push(findingOf(where, error))
    return null
  }
}

/**
 * Checks that each live id is in only one segment of a layer, and in all layers that need it.
 * Returns the number of live ids.
 */
function compareLayers(
  where: string,
  facts: readonly SegmentFacts[],
  live: LiveDocuments,
  problems: Finding[],
): number {
  const expectNone = (ids: IdSet, words: string): void => {
    if (ids.isEmpty) return
    const finding = `live documents ${words}: ${countText(ids.size)} (${idsText(ids)})`
    problems.push(findingAbout(where, 'contradiction', finding))
  }
  const derived = PROFILES.filter(({ isDerived }) => isDerived)
  const documents = liveOf(where, documentsLayer.name, facts, problems)
  const held = derived.map(({ name }) => ({ name, ids: liveOf(where, name, facts, problems) }))
  for (const { name, ids } of held) {
    expectNone(ids.andNot(documents), `of the ${name} layer are not stored`)
  }
  for (const { name, ids } of held) {
    const expected = live.expected(name)
    if (expected === null) continue
    const words = `have a ${expected.fields} field and are not in the ${name} layer`
    expectNone(expected.ids.andNot(ids), words)
  }
  return documents.size
}

function liveOf(
  where: string,
  layer: Layer,
  facts: readonly SegmentFacts[],
  problems: Finding[],
): IdSet {
  let all = IdSet.empty
  for (const { ids, state } of facts) {
    if (state.layer !== layer) continue
    const own = ids.andNot(state.dead)
    const twice = all.and(own)
    if (!twice.isEmpty) {
      const count = `${countOf(twice.size, 'live document')} of the ${layer} layer`
      const words = `segment ${state.segment} and an earlier one both have ${count}: ${idsText(twice)}`
      problems.push(findingAbout(where, 'contradiction', words))
    }
    all = all.or(own)
  }
  return all
}

function compareCounts(
  where: string,
  index: IndexState,
  live: LiveDocuments,
  problems: Finding[],
): void {
  const wrong: string[] = []
  index.fields.forEach((name, field) => {
    const stated = index.fieldCounts[field]!
    const found = live.counts[field]!
    if (stated !== found) wrong.push(`${name} ${found} instead of ${stated}`)
  })
  if (wrong.length === 0) return
  const words = `numbers of documents with a field differ from the manifest: ${listText(wrong)}`
  problems.push(findingAbout(where, 'contradiction', words))
}

function checkExternalIds(
  where: string,
  facts: readonly SegmentFacts[],
  live: LiveDocuments,
  problems: Finding[],
): void {
  const readers = new Map(
    facts
      .filter(({ state }) => state.layer === documentsLayer.name)
      .map(({ state, frame }) => [state.segment, documentsLayer.open(frame, {})]),
  )
  const duplicates = live.externalIds.duplicates(
    ({ segment, id }) => readers.get(segment)?.externalId(id) ?? new Uint8Array(0),
  )
  if (duplicates.length > 0) {
    const pairs = duplicates.map(([a, b]) => `${a.id} and ${b.id}`)
    const words = `live documents have the same external id: ${listText(pairs)}`
    problems.push(findingAbout(where, 'contradiction', words))
  }
  if (live.strangers > 0) {
    const count = countOf(live.strangers, 'document')
    const words = `the index and the document have different ids for ${count}, the first is ${live.firstStranger}`
    problems.push(findingAbout(where, 'contradiction', words))
  }
}

const idsText = (ids: IdSet): string => {
  const first = [...ids.first(NAMED_MAX)].join(', ')
  return ids.size > NAMED_MAX ? `${first}, …` : first
}

function listText(items: readonly string[]): string {
  const first = items.slice(0, NAMED_MAX).join('; ')
  return items.length > NAMED_MAX ? `${first}; … ${items.length - NAMED_MAX} more` : first
}
