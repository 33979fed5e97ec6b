// Values by field: building the columns, a range as a set, an order, a distribution.

import { FacetScope, sortBuckets } from '../../engine/read/facets/index.ts'
import { randomOf } from '../../engine/store/storage/index.ts'
import { normalizeFacet } from '../../engine/text/index.ts'
import { COLUMNS_KIND, ColumnsBuilder, ColumnsReader } from '../../format/columns/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { IdSet, IdUnion } from '../../format/idset/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { collector, makeIds, makeWords } from './data.ts'

const DOCUMENTS = 200_000
const PRICE = 0
const BRAND = 1
const BRANDS = 500
const PAGE = 20

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const normalise = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  encoder.encode(normalizeFacet(decoder.decode(bytes.subarray(from, to))))

const countFor = ({ isSmoke }: Bench): number => (isSmoke ? 3_000 : DOCUMENTS)

function written(count: number): Uint8Array {
  const random = randomOf(23)
  const brands = makeWords(BRANDS).map((word) => encoder.encode(word))
  const { sink, bytes } = collector()
  const builder = new ColumnsBuilder(normalise)
  for (let id = 0; id < count; id++) {
    builder.begin(id)
    builder.exists(PRICE)
    builder.number(PRICE, random.below(50_000) / 100)
    builder.exists(BRAND)
    builder.string(BRAND, brands[Math.min(random.below(BRANDS), random.below(BRANDS))]!)
  }
  builder.finish(sink)
  return bytes()
}

const readerOf = (count: number): ColumnsReader =>
  ColumnsReader.open(Frame.open(written(count), COLUMNS_KIND))

function build(bench: Bench): Work {
  const count = countFor(bench)
  return { operations: count, bytes: null, run: () => written(count).length }
}

/** A tenth of all prices, as a filter uses them. */
function range(bench: Bench): Work {
  const count = countFor(bench)
  const field = readerOf(count).field(PRICE)!
  return {
    operations: 1,
    bytes: null,
    run: () => {
      const union = new IdUnion(count)
      field.addNumbers(field.numberLowerBound(100), field.numberUpperBound(150), union)
      return union.take().size
    },
  }
}

/** The first page of half the documents in the order of a field. */
function sort(bench: Bench): Work {
  const count = countFor(bench)
  const segments = [{ reader: readerOf(count), dead: null }]
  const universe = IdSet.ofSorted(makeIds(count >>> 1, count, 29))
  return {
    operations: 1,
    bytes: null,
    run: () => {
      let [first, found] = [-1, 0]
      for (const { ids } of sortBuckets(segments, PRICE, 'asc', universe)) {
        if (first < 0) first = ids.min
        if ((found += ids.size) >= PAGE) break
      }
      return first
    },
  }
}

function facets(bench: Bench): Work {
  const count = countFor(bench)
  const segments = [{ reader: readerOf(count), dead: null }]
  const candidates = IdSet.ofSorted(makeIds(count >>> 1, count, 31))
  return {
    operations: 1,
    bytes: null,
    run: () => {
      let sum = 0
      const options = { order: 'count', limit: 100 } as const
      const scope = new FacetScope(segments, candidates)
      for (const n of scope.distribution(BRAND, options).values()) sum += n
      return sum
    },
  }
}

export const COLUMNS_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'columns/build',
    about: 'a number and a string each',
    operation: 'document',
    prepare: build,
  },
  {
    name: 'columns/range',
    about: 'a tenth of 200,000 by a number',
    operation: 'filter',
    prepare: range,
  },
  {
    name: 'columns/sort',
    about: 'the first 20 of 100,000 by a number',
    operation: 'page',
    prepare: sort,
  },
  {
    name: 'columns/facets',
    about: 'counts of 500 values in 100,000',
    operation: 'facet',
    prepare: facets,
  },
]
