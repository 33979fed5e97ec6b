// Sets of documents: the three operations on sparse and dense sets, and decoding.
import { decodeIdSet, encodeIdSet, IdSet } from '../../format/idset/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { makeIds } from './data.ts'

const BOUND = 1_000_000
const SPARSE = 5_000
const DENSE = 400_000
/** Of sparse sets, so many that the processor cannot predict from an earlier run which ids are equal. */
const PAIRS = 64

type Shape = 'sparse' | 'dense' | 'mixed'
type Operation = 'and' | 'or' | 'andNot'

function pairs(shape: Shape, { isSmoke }: Bench): readonly (readonly [IdSet, IdSet])[] {
  const scale = isSmoke ? 0.02 : 1
  const make = (count: number, seed: number): IdSet =>
    IdSet.ofSorted(makeIds(Math.floor(count * scale), Math.floor(BOUND * scale), seed))
  const dense = make(DENSE, 2)
  if (shape === 'dense') return [[make(DENSE, 1), dense]]
  const right = (at: number): IdSet => (shape === 'mixed' ? dense : make(SPARSE, 2 * at + 4))
  return Array.from({ length: PAIRS }, (_, at) => [make(SPARSE, 2 * at + 3), right(at)])
}

function combine(operation: Operation, shape: Shape): Benchmark {
  const prepare = (bench: Bench): Work => {
    const all = pairs(shape, bench)
    // The sizes of results are determined outside: dense results count their ids on demand.
    const sizes = all.map(([a, b]) => a[operation](b).size)
    const run = (): number => {
      let sum = 0
      for (const [at, [a, b]] of all.entries()) sum += a[operation](b).isEmpty ? 0 : sizes[at]!
      return sum
    }
    return { operations: all.length, bytes: null, run }
  }
  const name = `idset/${operation === 'andNot' ? 'and-not' : operation}-${shape}`
  const sizes = {
    sparse: '5,000 with 5,000',
    dense: '400,000 with 400,000',
    mixed: '5,000 with 400,000',
  }
  return { name, about: `${sizes[shape]} of a million ids`, operation: 'set', prepare }
}

function decode(bench: Bench): Work {
  const [[, set]] = pairs('dense', bench) as [readonly [IdSet, IdSet]]
  const bytes = encodeIdSet(set)
  return { operations: 1, bytes: bytes.length, run: () => decodeIdSet(bytes).max }
}

export const IDSET_BENCHMARKS: readonly Benchmark[] = [
  ...(['and', 'or', 'andNot'] as const).flatMap((operation) =>
    (['sparse', 'dense', 'mixed'] as const).map((shape) => combine(operation, shape)),
  ),
  {
    name: 'idset/decode',
    about: 'a dense set from its bytes',
    operation: 'set',
    prepare: decode,
  },
]
