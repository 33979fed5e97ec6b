// Counts candidates by buckets of their numbers. A candidate counts once in each bucket in which it
// has a number; texts have no bucket.
import type { Buckets } from './buckets.ts'
import type { Layer } from './layer.ts'
import type { FieldPart } from './merged-values.ts'
import { numberCounts } from './value-counts.ts'

/**
 * Returns the number of candidates by key, in ascending order of the buckets. `tooMany` is called
 * when there are more than `bucketsMax` buckets, and throws.
 */
export function bucketCounts(
  parts: readonly FieldPart[],
  { layers, compare, listed }: Buckets,
  bucketsMax: number,
  tooMany: () => never,
): Map<string, number> {
  const counts = new Map<string, number>(listed.map((key) => [key, 0]))
  const limit: Limit = { bucketsMax, tooMany }
  for (const layer of layers) {
    for (const part of parts) addPart(part, layer, counts, limit)
  }
  return new Map([...counts].sort(([a], [b]) => compare(a, b)))
}

type Limit = { readonly bucketsMax: number; readonly tooMany: () => never }

/**
 * Ordinals of one bucket are a group; group 0 belongs to none. Ends of buckets are looked up, so
 * that a value costs a comparison.
 */
function addPart(
  { part, field }: FieldPart,
  layer: Layer,
  counts: Map<string, number>,
  { bucketsMax, tooMany }: Limit,
): void {
  const { numbers } = field
  const values = numberCounts(part, field, Number.POSITIVE_INFINITY)
  if (numbers === null || values === null) return
  const byKey = new Map<string | null, number>([[null, 0]])
  const sizes = [0]
  const groups = numbers.rows.isSingle ? null : new Uint32Array(numbers.rows.ordinalCount)
  let group = 0
  let end = 0
  while (values.next()) {
    const { ordinal } = values
    if (ordinal >= end) {
      const stretch = layer.stretchAt(numbers.at(ordinal)) ?? tooMany()
      // Both zeros are one number.
      end = Math.max(ordinal + 1, numbers.lowerBound(stretch.end === 0 ? -0 : stretch.end))
      group = byKey.get(stretch.key) ?? sizes.push(0) - 1
      byKey.set(stretch.key, group)
      if (byKey.size > bucketsMax + 1) tooMany()
    }
    sizes[group]! += values.count
    if (groups !== null) groups[ordinal] = group
  }
  const found = new Uint32Array(sizes)
  if (groups !== null) {
    found.fill(0)
    const { ids } = part
    numbers.rows.countGroups(ids, 0, ids.length, groups, found)
  }
  for (const [key, at] of byKey) {
    if (key !== null && found[at]! > 0) counts.set(key, (counts.get(key) ?? 0) + found[at]!)
  }
  if (counts.size > bucketsMax) tooMany()
}
