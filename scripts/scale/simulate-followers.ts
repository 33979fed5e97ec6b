// Simulates a publisher and its followers: documents of one index change at random, batches create
// segments, the real merge rule joins them, and every interval new files are uploaded.
import { LEASES_MAX } from '../../engine/backup/objstore/index.ts'
import { PIECE_BYTES } from '../../engine/publish/index.ts'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { INLINE_BYTES_MAX } from '../../engine/write/indexer/index.ts'
import { BUSY, similarRun, TAKE_OVER, type Weighed } from '../../engine/write/tiers/index.ts'
import { KiB } from '../../format/bytes/index.ts'
import { PARAMETERS as P } from './parameters.table.ts'
import { quantile } from './simulate-network.ts'

const SEED = 20_261_123
const DOCUMENTS = 1_000_000
const SECONDS = 600
const BATCHES_PER_S = 20
/** Shares of the stored bytes of a document, by layer. */
const LAYERS = [0.32, 0.68]
/** The end of the task log that is sent again with each state, on average. */
const LOG_BYTES = PIECE_BYTES / 2
/** Manifest without inline segments, and head. */
const STATE_BYTES = 8 * KiB
/** Manifest, task log, head. */
const STATE_PUTS = 3
const STATE_GETS = 3
const LISTS_PER_LOOK = 2
const UPLOADS_AT_ONCE = 10
const DOWNLOADS_AT_ONCE = 8
const MONTH_S = 30 * 86_400
const HOUR_S = 3600
const SAMPLES = 20_000

type Segment = { segment: number; bytes: number; documents: number; deadCount: number }

/** One layer of an index under changes. */
class Layer {
  readonly #random: Random
  readonly #bytesPer: number
  #segments: Segment[]
  #next = 2

  constructor(random: Random, bytesPer: number) {
    this.#random = random
    this.#bytesPer = bytesPer
    const bytes = DOCUMENTS * bytesPer
    this.#segments = [{ segment: 1, bytes, documents: DOCUMENTS, deadCount: 0 }]
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** Gives new versions to that many documents; their old copies become dead. */
  change(documents: number): void {
    for (let i = 0; i < documents; i++) this.#die()
    this.#add(documents)
    this.#merge(similarRun(this.#segments, { ...TAKE_OVER, bytesMax: INLINE_BYTES_MAX }))
  }

  /** Runs the merges of one second. */
  rest(): void {
    const bytesMax = Number.POSITIVE_INFINITY
    for (;;) {
      const run = similarRun(this.#segments, { ...BUSY, bytesMax })
      if (run.length === 0) return
      this.#merge(run)
    }
  }

  #die(): void {
    let at = this.#random.below(DOCUMENTS)
    for (const segment of this.#segments) {
      const alive = segment.documents - segment.deadCount
      if (at < alive) {
        segment.deadCount++
        return
      }
      at -= alive
    }
  }

  #add(documents: number): void {
    const bytes = documents * this.#bytesPer
    this.#segments.push({ segment: this.#next++, bytes, documents, deadCount: 0 })
  }

  #merge(run: readonly Weighed[]): void {
    if (run.length === 0) return
    const joined = new Set(run.map(({ segment }) => segment))
    const documents = run.reduce((sum, one) => sum + one.documents - one.deadCount, 0)
    this.#segments = this.#segments.filter(({ segment }) => !joined.has(segment))
    this.#add(documents)
  }
}

export type PublishRow = {
  readonly perS: number
  readonly intervalS: number
  /** Share of intervals in which a state is published. */
  readonly published: number
  /** Files per published state. */
  readonly files: number
  readonly bytes: number
  readonly putsPerHour: number
  readonly bytesPerHour: number
  readonly dollarsPerMonth: number
  /** Of one follower that checks every second. */
  readonly followerDollarsPerMonth: number
}

/** `perS`: changed documents per second. */
export function simulatePublishing(perS: number, intervalS: number): PublishRow {
  const random = randomOf(SEED)
  const layers = LAYERS.map((share) => new Layer(random, P.storedBytes.value * share))
  const sent = new Set(filesOf(layers).map(({ key }) => key))
  let [states, files, bytes, due, changed] = [0, 0, 0, 0, false]
  for (let second = 1; second <= SECONDS; second++) {
    due += perS
    const batches = Math.min(BATCHES_PER_S, Math.floor(due))
    for (let batch = 0; batch < batches; batch++) {
      const documents = Math.floor(due / (batches - batch))
      due -= documents
      for (const layer of layers) layer.change(documents)
      changed = true
    }
    for (const layer of layers) layer.rest()
    if (second % intervalS > 0 || !changed) continue
    changed = false
    states++
    for (const { key, size } of filesOf(layers)) {
      if (sent.has(key)) continue
      sent.add(key)
      files++
      bytes += size
    }
    bytes += inlineBytes(layers) + LOG_BYTES + STATE_BYTES
  }
  return rowOf({ perS, intervalS, states, files, bytes })
}

const filesOf = (layers: readonly Layer[]): { key: string; size: number }[] =>
  layers.flatMap(({ segments }, layer) =>
    segments
      .filter((one) => one.bytes > INLINE_BYTES_MAX)
      .map((one) => ({ key: `${layer}/${one.segment}`, size: one.bytes })),
  )

const inlineBytes = (layers: readonly Layer[]): number =>
  layers
    .flatMap(({ segments }) => segments)
    .filter((one) => one.bytes <= INLINE_BYTES_MAX)
    .reduce((sum, one) => sum + one.bytes, 0)

function rowOf(of: {
  perS: number
  intervalS: number
  states: number
  files: number
  bytes: number
}): PublishRow {
  const { perS, intervalS, states, files, bytes } = of
  const perMonth = MONTH_S / SECONDS
  const puts = states * STATE_PUTS + files
  const gets = states * STATE_GETS + files
  const looks = SECONDS * LISTS_PER_LOOK
  const dollars = (writes: number, reads: number): number =>
    ((writes * P.putDollars.value + reads * P.getDollars.value) / 1e6) * perMonth
  return {
    perS,
    intervalS,
    published: states / (SECONDS / intervalS),
    files: states === 0 ? 0 : files / states,
    bytes: states === 0 ? 0 : bytes / states,
    putsPerHour: (puts * HOUR_S) / SECONDS,
    bytesPerHour: (bytes * HOUR_S) / SECONDS,
    dollarsPerMonth: dollars(puts, 0),
    // One lease per state.
    followerDollarsPerMonth: dollars(looks + states, gets),
  }
}

export type LagRow = {
  readonly intervalS: number
  readonly pollS: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** Time from the end of a change until a follower shows it, at ten documents a second. */
export function simulateLag(intervalS: number, pollS: number): LagRow {
  const random = randomOf(SEED)
  const { files, bytes } = simulatePublishing(10, intervalS)
  const uniform = (seconds: number): number => (random.below(1_000_000) / 1_000_000) * seconds
  const request = P.storeMs.value / 1000
  const moving = bytes / P.storeBytesPerS.value
  const upload = request * (Math.ceil((files + 2) / UPLOADS_AT_ONCE) + 1) + moving
  // Two lists, the lease, the head, the manifest, files, the task log.
  const download = request * (6 + Math.ceil(files / DOWNLOADS_AT_ONCE)) + moving
  const all = Array.from(
    { length: SAMPLES },
    () => uniform(intervalS) + upload + uniform(pollS) + download,
  )
  return {
    intervalS,
    pollS,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    most: quantile(all, 1),
  }
}

export type FollowerRow = {
  readonly intervalS: number
  readonly pollS: number
  readonly readsPerS: number
  /** Followers of one store. */
  readonly followers: number
  readonly stoppedBy: 'reads of the store' | 'leases'
}

/** Number of followers that one store can serve, at ten documents a second. */
export function simulateFollowers(intervalS: number, pollS: number): FollowerRow {
  const { files } = simulatePublishing(10, intervalS)
  const perState = STATE_GETS + files
  const readsPerS = LISTS_PER_LOOK / pollS + perState / Math.max(intervalS, pollS)
  const byReads = Math.floor(P.storeReadsPerS.value / readsPerS)
  const followers = Math.min(byReads, LEASES_MAX)
  const stoppedBy = byReads < LEASES_MAX ? 'reads of the store' : 'leases'
  return { intervalS, pollS, readsPerS, followers, stoppedBy }
}

export type DownloadRow = {
  readonly documents: number
  readonly bytes: number
  readonly seconds: number
}

/** Bytes and time of the first download of a new follower, by number of documents. */
export function firstDownload(documents: number): DownloadRow {
  const bytes = documents * P.storedBytes.value
  return { documents, bytes, seconds: bytes / P.storeBytesPerS.value }
}
