// Sets of documents: the three operations on sparse and dense sets, and decoding.
import { decodeIdSet, encodeIdSet, IdSet } from '../../format/idset/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { makeIds } from './data.ts'

const BOUND = 1_000_000
const SPARSE = 5_000
const DENSE = 400_000

type Shape = 'sparse' | 'dense' | 'mixed'
type Operation = 'and' | 'or' | 'andNot'

function pair(shape: Shape, { isSmoke }: Bench): readonly [IdSet, IdSet] {
  const scale = isSmoke ? 0.02 : 1
  const make = (count: number, seed: number): IdSet =>
    IdSet.ofSorted(makeIds(Math.floor(count * scale), Math.floor(BOUND * scale), seed))
  return [make(shape === 'dense' ? DENSE : SPARSE, 1), make(shape === 'sparse' ? SPARSE : DENSE, 2)]
}

function combine(operation: Operation, shape: Shape): Benchmark {
  const prepare = (bench: Bench): Work => {
    const [a, b] = pair(shape, bench)
    // The size of the result is determined outside: dense results count their ids on demand.
    const { size } = a[operation](b)
    const run = (): number => (a[operation](b).isEmpty ? 0 : size)
    return { operations: 1, bytes: null, run }
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
  const [, set] = pair('dense', bench)
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
