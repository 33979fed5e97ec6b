// Vectors: the nearest rows by all codes and by lists, and the writing of both.
import { randomOf } from '../../engine/store/storage/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { NO_LISTS } from '../../format/vector-codes/index.ts'
import {
  Candidates,
  RowSearch,
  storedRows,
  VectorsBuilder,
  VectorsReader,
} from '../../format/vectors/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'

const ROWS = 200_000
const SMOKE_ROWS = 500
const DIMENSIONS = 96
/** Vectors lie in clusters on a sheet of fewer dimensions, as embeddings do. */
const CLUSTERS = 200
const LATENT = 32
const SPREAD = 0.6
const QUERIES = 50
const SMOKE_QUERIES = 5
/** As a search for ten of so many rows. */
const CANDIDATES = 367

/** Returns a generator of numbers with about a normal distribution. */
function normal(seed: number): () => number {
  const random = randomOf(seed)
  const draw = (): number => random.below(2 ** 30) / 2 ** 30
  return () => draw() + draw() + draw() + draw() - 2
}

/** Returns a generator of vectors of the same clusters. */
function vectors(seed: number): () => Float32Array {
  const draw = normal(7)
  const sheet = Float32Array.from({ length: LATENT * DIMENSIONS }, draw)
  const centers = Float32Array.from({ length: CLUSTERS * LATENT }, draw)
  const own = normal(seed)
  let made = 0
  return () => {
    const center = ((made++ * 7919) % CLUSTERS) * LATENT
    const out = new Float32Array(DIMENSIONS)
    for (let k = 0; k < LATENT; k++) {
      const value = centers[center + k]! + SPREAD * own()
      for (let d = 0; d < DIMENSIONS; d++) out[d]! += value * sheet[k * DIMENSIONS + d]!
    }
    return out
  }
}

const rowsOf = ({ isSmoke }: Bench): number => (isSmoke ? SMOKE_ROWS : ROWS)

/** Returns a builder of a segment with a row for each document. */
function filled(rows: number): VectorsBuilder {
  const next = vectors(1)
  const builder = new VectorsBuilder()
  const entry = { embedder: 'e', dimensions: DIMENSIONS, form: 'floats', rows: 1 } as const
  for (let id = 0; id < rows; id++) {
    const stored = storedRows('floats', DIMENSIONS, [next()])
    builder.add(id, [{ ...entry, isOwn: true, regenerates: false, fragments: null, stored }])
  }
  return builder
}

const ruleOf = (hasLists: boolean, rows: number) =>
  hasLists ? { rowsMin: rows, shareMax: 1 } : NO_LISTS

function write(hasLists: boolean, bench: Bench): Work {
  const rows = rowsOf(bench)
  const builder = filled(rows)
  let bytes = 0
  const run = (): number => {
    bytes = 0
    builder.finish(
      (piece) => {
        bytes += piece.length
      },
      ruleOf(hasLists, rows),
    )
    return bytes
  }
  return { operations: rows, bytes: rows * DIMENSIONS * 4, run, produced: () => bytes }
}

function search(hasLists: boolean, bench: Bench): Work {
  const count = rowsOf(bench)
  const pieces: Uint8Array[] = []
  filled(count).finish((piece) => pieces.push(piece.slice()), ruleOf(hasLists, count))
  const frame = Frame.open(Buffer.concat(pieces), 'VECT')
  const rows = VectorsReader.open(frame).embedder('e')!
  const next = vectors(2)
  const queries = Array.from({ length: bench.isSmoke ? SMOKE_QUERIES : QUERIES }, next)
  const run = (): number => {
    let found = 0
    for (const query of queries) {
      const candidates = new Candidates(CANDIDATES)
      const one = new RowSearch(query)
      one.scan(rows, 0, candidates, null)
      for (const some of candidates.take().values()) found += one.similarities(rows, some).length
    }
    return found
  }
  return { operations: queries.length, bytes: null, run }
}

export const VECTORS_BENCHMARKS: readonly Benchmark[] = [false, true].flatMap((hasLists) => {
  const how = hasLists ? 'in lists' : 'in one list'
  const name = hasLists ? 'lists' : 'codes'
  const size = '200,000 rows of 96 dimensions'
  return [
    {
      name: `vectors/search-${name}`,
      about: `the nearest of ${size}, ${how}`,
      operation: 'search',
      prepare: (bench: Bench) => search(hasLists, bench),
    },
    {
      name: `vectors/write-${name}`,
      about: `${size}, ${how}`,
      operation: 'row',
      prepare: (bench: Bench) => write(hasLists, bench),
    },
  ]
})
