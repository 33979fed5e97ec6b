// Checks one segment: every byte is as written, the content is valid, and it matches the manifest.
import type { FileSystem } from '../../engine/index.ts'
import { type IndexState, layerNamed, type SegmentState } from '../../engine/inspect.ts'
import { Frame } from '../../format/frame/index.ts'
import type { IdSet } from '../../format/idset/index.ts'
import {
  type Finding,
  findingAbout,
  findingOf,
  footerChecksum,
  frameDamage,
  segmentLabel,
} from '../inspect/index.ts'
import { countOf, countText } from '../terminal/index.ts'
import type { LiveDocuments } from './live-documents.ts'
import { readThrough } from './read-through.ts'
import type { FileReport, Step } from './result.ts'

/**
 * Share of the work on a file that is reading it and verifying checksums; the rest is its content.
 */
const CHECKSUMS_SHARE = 0.2

/** The facts about a segment whose bytes are sound. */
export type SegmentFacts = {
  readonly state: SegmentState
  readonly ids: IdSet
  readonly frame: Frame
}

export type SegmentJob = {
  readonly fs: FileSystem
  /** Path of the manifest, which contains inline segments. */
  readonly manifest: string
  readonly index: IndexState
  readonly state: SegmentState
  readonly live: LiveDocuments
  readonly step: Step
}

/** Never throws for faults of the segment. `facts` is null if its bytes are not sound. */
export function checkSegment(job: SegmentJob): {
  readonly report: FileReport
  readonly facts: SegmentFacts | null
} {
  const { manifest, state } = job
  const label = segmentLabel(manifest, state)
  const problems: Finding[] = []
  let facts: SegmentFacts | null = null
  try {
    facts = factsOf(job, label, problems)
  } catch (error) {
    problems.push(findingOf(label, error))
  }
  const words = countOf(state.documents, 'document')
  const dead = state.dead.isEmpty ? '' : `, ${countText(state.dead.size)} dead`
  const report = {
    file: label,
    what: state.layer,
    bytes: state.bytes,
    facts: words + dead,
    problems,
  }
  return { report, facts }
}

function factsOf(job: SegmentJob, label: string, problems: Finding[]): SegmentFacts | null {
  const { state, step } = job
  const bytes = bytesOf(job, label, problems)
  if (bytes === null) return null
  const frame = Frame.open(bytes, layerNamed(state.layer).kind, label)
  if (state.location.kind === 'file' && state.location.checksum !== footerChecksum(bytes)) {
    const words = 'it is sound, but not the file that was committed under this name'
    problems.push(findingAbout(label, 'contradiction', words))
  }
  const damage = frameDamage(frame, label, (done) => step(done * CHECKSUMS_SHARE))
  problems.push(...damage)
  if (damage.length > 0) return null
  const facts = contentFacts(job, frame, label, problems)
  checkAgainstManifest(label, facts, problems)
  return facts
}

function bytesOf({ fs, state, step }: SegmentJob, label: string, problems: Finding[]) {
  if (state.location.kind === 'inline') return state.location.frame
  if (!fs.exists(label)) {
    problems.push(findingAbout(label, 'missing', 'the manifest names it, but it does not exist'))
    return null
  }
  const size = fs.size(label)
  if (size !== state.bytes) {
    const words = `it has ${size} bytes instead of ${state.bytes}`
    problems.push(findingAbout(label, 'short_file', words))
  }
  readThrough(fs, label, (done) => step((done * CHECKSUMS_SHARE) / 2))
  return fs.map(label, size)
}

/** Checks the content. @throws CorruptionError, VersionError */
function contentFacts(
  { index, state, live, step }: SegmentJob,
  frame: Frame,
  label: string,
  problems: Finding[],
): SegmentFacts {
  const progress = (done: number): void =>
    step(state.bytes * CHECKSUMS_SHARE + done * (1 - CHECKSUMS_SHARE))
  const layer = layerNamed(state.layer)
  const { fieldMax } = layer.check(frame, { visit: live.visitor(state), progress })
  if (fieldMax >= index.fields.length) {
    const words = `field ${fieldMax} is in it, and the index has ${index.fields.length} fields`
    problems.push(findingAbout(label, 'contradiction', words))
  }
  return { state, ids: layer.ids(layer.open(frame, {})), frame }
}

/** Compares the segment with its entry in the manifest, including its dead documents. */
function checkAgainstManifest(label: string, facts: SegmentFacts, problems: Finding[]): void {
  const { ids, state } = facts
  const expect = (what: string, found: number, said: number): void => {
    if (found === said) return
    const words = `${what} is ${found}, and the manifest says ${said}`
    problems.push(findingAbout(label, 'contradiction', words))
  }
  expect('the number of documents', ids.size, state.documents)
  if (!ids.isEmpty) {
    expect('the smallest id', ids.min, state.idMin)
    expect('the largest id', ids.max, state.idMax)
  }
  const strangers = state.dead.andNot(ids)
  if (strangers.isEmpty) return
  const words = `${strangers.size} dead documents are not in it, the first is ${strangers.min}`
  problems.push(findingAbout(label, 'contradiction', words))
}
