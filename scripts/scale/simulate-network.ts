// Simulates a network: how even shards are and how much a new instance moves (with the real hash),
// the speed of writes when every instance receives every body, and the time of a search that waits
// for the slowest of many parts.
import { Rendezvous } from '../../engine/model/index.ts'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { PARAMETERS as P } from './parameters.table.ts'

const SEED = 20_261_123
const IDS = 50_000
const SEARCHES = 20_000
/** Quantile of the standard normal distribution: 99 of 100 are below. */
const Z99 = 2.326
const HEDGED_AFTER = 0.95

export type ShardRow = {
  readonly instances: number
  /** The largest shard, relative to the mean. */
  readonly largest: number
  /** Share of documents whose shard changes when an instance with its own shard is added. */
  readonly moved: number
  /** Hours to add one instance to a network of 10 million documents per instance. */
  readonly hours: number
}

const PER_INSTANCE = 10_000_000
const REPLICAS = 2
const HOUR_S = 3600

/** One shard per instance, two replicas each. */
export function simulateShards(instances: readonly number[]): readonly ShardRow[] {
  const ids = Array.from({ length: IDS }, (_, i) => Buffer.from(`document-${i}`))
  return instances.map((count) => {
    const before = winners(ids, count)
    const after = winners(ids, count + 1)
    const sizes = new Array<number>(count).fill(0)
    for (const shard of before) sizes[shard]!++
    const moved = before.filter((shard, i) => shard !== after[i]).length / IDS
    // The new instance, or the one with its replica, imports every copy that moves.
    const documents = (PER_INSTANCE * count) / REPLICAS
    const sentEach = (documents * moved * REPLICAS) / count
    const takenEach = documents * moved
    const seconds = Math.max(sentEach / P.exportedPerS.value, takenEach / P.importedPerS.value)
    return {
      instances: count,
      largest: Math.max(...sizes) / (IDS / count),
      moved,
      hours: seconds / HOUR_S,
    }
  })
}

/** Names are in byte order, so that existing numbers stay when an instance is added. */
function winners(ids: readonly Uint8Array[], count: number): readonly number[] {
  const names = Array.from({ length: count }, (_, i) => `shard-${String(i).padStart(4, '0')}`)
  const hash = new Rendezvous(names)
  return ids.map((id) => hash.winner(id))
}

export type WriteRow = { readonly instances: number; readonly perS: readonly number[] }

/**
 * Documents per second of the whole network, by replicas: every instance receives every body and
 * indexes its own documents. Both run in parallel on its processors.
 */
export const simulateWrites = (
  instances: readonly number[],
  replicas: readonly number[],
): readonly WriteRow[] =>
  instances.map((count) => ({
    instances: count,
    perS: replicas.map((copies) => {
      const received = 1 / P.receivedPerS.value
      const indexed = 1 / P.indexedPerS.value - received
      return 1 / (received + indexed * Math.min(1, copies / count))
    }),
  }))

export type SearchRow = {
  readonly instances: number
  readonly p50: number
  readonly p99: number
  /** If a second replica is queried after the time that 95 of 100 parts take. */
  readonly hedgedP99: number
}

/** A search waits for the slowest part; parts are independent and of one size. */
export function simulateSearches(instances: readonly number[]): readonly SearchRow[] {
  return instances.map((count) => {
    const random = randomOf(SEED)
    const plain: number[] = []
    const hedged: number[] = []
    const limit = quantileOfParts(HEDGED_AFTER)
    for (let i = 0; i < SEARCHES; i++) {
      let [slowest, slowestHedged] = [0, 0]
      for (let part = 0; part < count; part++) {
        const ms = partMs(random)
        const second = ms > limit ? limit + partMs(random) : ms
        slowest = Math.max(slowest, ms)
        slowestHedged = Math.max(slowestHedged, Math.min(ms, second))
      }
      const calls = count > 1 ? P.callMs.value : 0
      plain.push(slowest + calls)
      hedged.push(slowestHedged + calls)
    }
    return {
      instances: count,
      p50: quantile(plain, 0.5),
      p99: quantile(plain, 0.99),
      hedgedP99: count > 1 ? quantile(hedged, 0.99) : quantile(plain, 0.99),
    }
  })
}

const SIGMA = Math.log(P.searchMsP99.value / P.searchMsP50.value) / Z99

/** Log-normal, fitted to the measured median and the 99th percentile. */
const partMs = (random: Random): number => P.searchMsP50.value * Math.exp(SIGMA * normal(random))

function quantileOfParts(share: number): number {
  const random = randomOf(SEED + 1)
  const all = Array.from({ length: SEARCHES }, () => partMs(random))
  return quantile(all, share)
}

const UNITS = 1 << 30

/** Box and Muller. */
function normal(random: Random): number {
  const u = (random.below(UNITS) + 1) / (UNITS + 1)
  const v = random.below(UNITS) / UNITS
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}
